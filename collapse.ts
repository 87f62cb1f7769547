export const collapsedIfTall: any = async (r: any) => r;
