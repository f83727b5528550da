// The assessor's other pages: what an earlier visit left unsent goes on its way, and is told.
import { showQueue } from "./judge/bar.js";
import { makeQueue } from "./judge/queue.js";

const place = document.getElementById("queue");
const { campaign, acts, judge } = place.dataset;

function addressOf(act) {
  return `${judge.replace(/0\/$/, `${encodeURIComponent(act.topic ?? "")}/`)}?${new URLSearchParams({ docno: act.docno ?? "" })}`;
}

function told(queue) {
  showQueue(queue, { addresses: addressOf });
  place.hidden = !queue.unsent.length && document.getElementById("refusals").hidden;
}

let had = false;
const queue = await makeQueue({
  user: Number(place.dataset.user),
  campaign,
  url: acts,
  changed: told,
  // The numbers on this page were counted before.
  sent: () => had && location.reload(),
});
had = queue.unsent.length > 0;
told(queue);
queue.flush();
