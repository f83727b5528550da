// Other windows of the same assessor: a document judged in one is removed from the others, and
// only the last window closed returns prefetched documents.
import { newUuid } from "./documents.js";

export function makeTabs({ user, campaign }, judged) {
  if (!("BroadcastChannel" in window)) return { announce() {}, alone: () => true, leave() {} };
  const channel = new BroadcastChannel(`poolbench-desk-${user}-${campaign}`);
  const own = newUuid();
  const others = new Set();
  const send = (message) => channel.postMessage({ ...message, from: own });
  channel.addEventListener("message", ({ data }) => {
    if (data.kind === "leave") others.delete(data.from);
    else others.add(data.from);
    if (data.kind === "hello") send({ kind: "here" });
    if (data.kind === "given") judged(data);
  });
  send({ kind: "hello" });
  return {
    announce: (message) => send({ kind: "given", ...message }),
    alone: () => others.size === 0,
    leave: () => send({ kind: "leave" }),
  };
}
