export default ({ path }, host) => {
  const { content } = host.call("workspace.read", { path });
  return { path, words: content.split(/\s+/).filter((word) => word !== "").length };
};
