// The assessor's other pages: send acts that an earlier visit left unsent, and show their state.
import { showQueue } from "./judge/bar.js";
import { makeQueue } from "./judge/queue.js";

const place = document.getElementById("queue");
const { campaign, acts, judge } = place.dataset;

function addressOf(act) {
  return `${judge.replace(/0\/$/, `${encodeURIComponent(act.topic ?? "")}/`)}?${new URLSearchParams({ docno: act.docno ?? "" })}`;
}

function show(queue) {
  showQueue(queue, { addresses: addressOf });
  place.hidden = !queue.unsent.length && document.getElementById("refusals").hidden;
}

let hadUnsent = false;
const queue = await makeQueue({
  user: Number(place.dataset.user),
  campaign,
  url: acts,
  changed: show,
  // The counts on this page are from before.
  sent: () => hadUnsent && location.reload(),
});
hadUnsent = queue.unsent.length > 0;
show(queue);
queue.flush();
