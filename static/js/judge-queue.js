// The assessor's other pages: send acts that an earlier visit left unsent, and show their state.
import { showQueue } from "./judge/bar.js";
import { makeQueue } from "./judge/queue.js";

const place = document.getElementById("queue");
const { campaign, acts } = place.dataset;

function show(queue) {
  showQueue(queue, place.dataset);
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
