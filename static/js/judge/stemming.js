// Matching of topic terms in documents, ignoring case, accents and simple endings.

// English stop words; in other languages, the few matching words matter little.
const STOP = new Set(
  ("a about above after again all also am an and answer answers any are as at be because been " +
    "before being below describe discuss passage passages query queries question questions " +
    "between both but by can could did do document documents does doing down during each few find " +
    "for from further had has have having he her here hers him his how i if in information into is " +
    "it its just like more most my no nor not of off on once only or other our out over own " +
    "relevant same she should so some such than that the their them then there these they this " +
    "those through to too under until up us very was we were what when where which while who whom " +
    "why will with would you your").split(" "),
);
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
const MAYBE_BROKEN = /([\p{L}\p{N}\p{M}_]+)(?:-\n([\p{L}\p{N}\p{M}_]+))?/gu; // Over the end of a line.
const UNSPACED =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u;

export function fold(word) {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
}

// Strips plural and verb endings where enough of the word remains.
export function stem(word) {
  const bare = fold(word);
  if (bare.length < 4) return bare;
  if (bare.endsWith("ies") && bare.length > 4) return `${bare.slice(0, -3)}y`;
  if (/(ss|x|z|ch|sh)es$/.test(bare)) return bare.slice(0, -2);
  if (/[^su]s$/.test(bare)) return stemVerb(bare.slice(0, -1));
  return stemVerb(bare);
}

function stemVerb(word) {
  const found = /^(.{3,}?)(ing|ed)$/.exec(word);
  if (!found || !/[aeiouy]/.test(found[1])) return word.replace(/(?<=.{3})e$/, "");
  return found[1].replace(/([bdfgmnprt])\1$/, "$1").replace(/(?<=.{3})e$/, "");
}

function segments(text) {
  if (!("Segmenter" in Intl)) return text.match(WORD) ?? [];
  const parts = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text);
  return [...parts].filter((part) => part.isWordLike).map((part) => part.segment);
}

// A finder of the words of `text`: for a string it yields [start, end] of each match. In scripts
// without spaces, the words are searched for literally.
export function finder(text) {
  const stems = new Set();
  const whole = new Set();
  for (const word of segments(text)) {
    if (UNSPACED.test(word)) whole.add(word);
    else if ([...word].length > 1 && !STOP.has(fold(word))) stems.add(stem(word));
  }
  const longest = [...whole].sort((a, b) => b.length - a.length);
  const unspaced = longest.length ? new RegExp(longest.join("|"), "gu") : null;
  const known = new Map(); // word → does it match; documents repeat their words
  const matches = (word) => {
    if (!known.has(word)) known.set(word, stems.has(stem(word)));
    return known.get(word);
  };
  return function* found(string) {
    if (stems.size) {
      for (const { index, 0: { length }, 1: first, 2: second } of string.matchAll(MAYBE_BROKEN)) {
        const end = index + length;
        if (second && matches(first + second)) yield [index, end];
        else {
          if (matches(first)) yield [index, index + first.length];
          if (second && matches(second)) yield [end - second.length, end];
        }
      }
    }
    if (unspaced) {
      for (const hit of string.matchAll(unspaced)) yield [hit.index, hit.index + hit[0].length];
    }
  };
}
