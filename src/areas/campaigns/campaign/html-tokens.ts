const rawTexts = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript']);
const tag = /<(\/?)([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/iy;

export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open' | 'close'; readonly name: string; readonly attributes: string }
  /** A comment, tag or element is not closed. Markup that is added after it would not be shown. */
  | { readonly kind: 'unfinished'; readonly what: string };

/** Omits comments and the content of elements such as `script`. Takes time linear in the length of the HTML. */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  const lower = html.toLowerCase();
  // A few letters have another length in lower case. Positions would then differ, so the original text is searched.
  const searched = lower.length === html.length ? lower : html;
  let from = 0;
  for (let at = searched.indexOf('<'); at !== -1; at = searched.indexOf('<', at)) {
    if (searched.startsWith('<!--', at)) {
      yield { kind: 'text', text: html.slice(from, at) };
      const end = searched.indexOf('-->', at + 4);
      if (end === -1) return yield { kind: 'unfinished', what: 'a comment' };
      at = from = end + 3;
      continue;
    }
    tag.lastIndex = at;
    const found = tag.exec(html);
    if (found === null) {
      if (/^<[a-z/]/i.test(html.slice(at, at + 2))) return yield { kind: 'unfinished', what: 'a tag' };
      at += 1;
      continue;
    }
    yield { kind: 'text', text: html.slice(from, at) };
    const [, slash, written = '', attributes = ''] = found;
    const name = written.toLowerCase();
    at = from = tag.lastIndex;
    yield { kind: slash === '' ? 'open' : 'close', name, attributes };
    if (slash !== '') continue;
    if (name === 'plaintext') return yield { kind: 'unfinished', what: 'the element <plaintext>' };
    if (!rawTexts.has(name)) continue;
    const end = searched.indexOf(`</${name}`, at);
    if (end === -1) return yield { kind: 'unfinished', what: `the element <${name}>` };
    at = from = end;
  }
  yield { kind: 'text', text: html.slice(from) };
}

export function unfinishedMarkup(html: string): string | undefined {
  for (const token of htmlTokens(html)) if (token.kind === 'unfinished') return token.what;
  return undefined;
}
