// Acts not confirmed by the server, in this browser's IndexedDB. A record is
// {seq, user, campaign, act, refused}: `seq` is the order of the acts, `refused` the server's
// refusal. Without IndexedDB they exist on this page only.

const NAME = "poolbench-judging";
const STORE = "acts";

function requestResult(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function openDatabase() {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () =>
    request.result.createObjectStore(STORE, { keyPath: "seq", autoIncrement: true });
  return requestResult(request);
}

// Resolves when the transaction, not only the request, is complete: only then is it stored.
function runTransaction(db, change) {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(STORE, "readwrite", { durability: "relaxed" });
    const request = change(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

function overDatabase(db) {
  return {
    stored: true,
    all: () => requestResult(db.transaction(STORE).objectStore(STORE).getAll()),
    add: (record) => runTransaction(db, (store) => store.add(record)),
    put: (record) => runTransaction(db, (store) => store.put(record)),
    remove: (seq) => runTransaction(db, (store) => store.delete(seq)),
  };
}

function inMemory() {
  const records = new Map();
  let last = 0;
  return {
    stored: false,
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
    const db = await openDatabase();
    db.onversionchange = () => db.close();
    return overDatabase(db);
  } catch {
    return inMemory();
  }
}
