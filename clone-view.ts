export const openCloneView: any = () => { throw new Error("none") }; export const openCloneSides: any = openCloneView;
