// A hint of a break, to the assessor alone: after WORK_MS without a pause, what the last twenty
// minutes and the twenty before were like. It counts, concludes nothing, and is sent nowhere.
import { format, showMessage, texts } from "./bar.js";

const MINUTE_MS = 60_000;
const REST_MS = 5 * MINUTE_MS; // Longer without a judgment is a pause.
const WORK_MS = 50 * MINUTE_MS;
const WINDOW_MS = 20 * MINUTE_MS;
const AGAIN_MS = 30 * MINUTE_MS;

function watchPauses({ user, campaign }) {
  const key = `poolbench-pace-${user}-${campaign}`;
  const choice = document.getElementById("hint-break");
  const grades = [...document.querySelectorAll("#grades [data-grade]")].map((it) => Number(it.dataset.grade));
  const lowest = Math.min(...grades);
  let work = { judged: [], told: 0 }; // [time, grade or null], since the last pause
  let due = "";

  try {
    work = { ...work, ...JSON.parse(sessionStorage.getItem(key)) };
  } catch {
    // Without storage it is counted from the load of the page.
  }

  function describe(now) {
    const within = (from, to) => work.judged.filter(([time]) => now - time >= from && now - time < to);
    const [last, former] = [within(0, WINDOW_MS), within(WINDOW_MS, 2 * WINDOW_MS)];
    const low = (rows) => rows.filter(([, grade]) => grade === lowest).length;
    const minutes = Math.round((now - work.judged[0][0]) / MINUTE_MS);
    return format(texts.pause, { minutes, n: last.length, low: low(last), before: former.length, lowBefore: low(former) });
  }

  document.addEventListener("judged", ({ detail }) => {
    const now = Date.now();
    const last = work.judged.at(-1)?.[0] ?? now;
    if (now - last > REST_MS) work = { judged: [], told: 0 };
    work.judged.push([now, detail.kind === "grade" ? Number(detail.grade) : null]);
    if (choice?.checked && now - work.judged[0][0] >= WORK_MS && now - work.told >= AGAIN_MS) {
      due = describe(now);
      work.told = now;
    }
    try {
      sessionStorage.setItem(key, JSON.stringify(work));
    } catch {
      // As above.
    }
  });
  document.addEventListener("appeared", () => {
    if (!due) return;
    showMessage(due);
    due = "";
  });
}

const judge = document.getElementById("judge");
if (judge?.dataset.mode === "queue") watchPauses(judge.dataset);
