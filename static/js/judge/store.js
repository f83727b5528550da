// Acts that the server has not confirmed, in this browser's IndexedDB. A record is
// {seq, user, campaign, act, told, refused}: `seq` is the order of acting, `told` what a list
// shows of it, `refused` the server's no. Without IndexedDB they live in this page only.

const NAME = "poolbench-judging";
const STORE = "acts";

function asked(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function opened() {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () =>
    request.result.createObjectStore(STORE, { keyPath: "seq", autoIncrement: true });
  return asked(request);
}

// Resolves when the transaction is complete, not when the request is: only then is it kept.
function written(db, change) {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(STORE, "readwrite", { durability: "relaxed" });
    const request = change(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

function overDatabase(db) {
  return {
    kept: true,
    all: () => asked(db.transaction(STORE).objectStore(STORE).getAll()),
    add: (record) => written(db, (store) => store.add(record)),
    put: (record) => written(db, (store) => store.put(record)),
    remove: (seq) => written(db, (store) => store.delete(seq)),
  };
}

function inMemory() {
  const records = new Map();
  let last = 0;
  return {
    kept: false,
    all: async () => [...records.values()],
    add: async (record) => {
      last += 1;
      records.set(last, { ...record, seq: last });
      return last;
    },
    put: async (record) => void records.set(record.seq, record),
    remove: async (seq) => void records.delete(seq),
  };
}

export async function openStore() {
  try {
    const db = await opened();
    db.onversionchange = () => db.close();
    return overDatabase(db);
  } catch {
    return inMemory();
  }
}
