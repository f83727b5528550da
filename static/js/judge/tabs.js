// Other windows of the same assessor: what one gives the others put away, and only the last
// one that is closed gives back what was fetched ahead.
import { newUuid } from "./papers.js";

export function makeTabs({ user, campaign }, given) {
  if (!("BroadcastChannel" in window)) return { tell() {}, alone: () => true, leave() {} };
  const channel = new BroadcastChannel(`poolbench-desk-${user}-${campaign}`);
  const own = newUuid();
  const others = new Set();
  const send = (message) => channel.postMessage({ ...message, from: own });
  channel.addEventListener("message", ({ data }) => {
    if (data.kind === "leave") others.delete(data.from);
    else others.add(data.from);
    if (data.kind === "hello") send({ kind: "here" });
    if (data.kind === "given") given(data);
  });
  send({ kind: "hello" });
  return {
    tell: (message) => send({ kind: "given", ...message }),
    alone: () => others.size === 0,
    leave: () => send({ kind: "leave" }),
  };
}
