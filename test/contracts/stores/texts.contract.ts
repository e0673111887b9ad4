import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { referTo } from '../../../src/kernel/text/text.js';
import { TextDamaged, type Texts, TextsUnavailable } from '../../../src/ports/texts.port.js';
import { allOf } from '../../support/all-of.js';

export interface OpenedTexts {
  readonly texts: Texts;
  /** Closes the store and opens a new one without its cache, as after a restart. */
  reopen(): Promise<Texts>;
  /** Opens another, empty store. */
  another(): Promise<Texts>;
  close(): Promise<void>;
}

/** Random text, which hardly compresses. */
export const longText = (units: number) => randomBytes(units).toString('base64').slice(0, units);

export const digestOf = (text: string) => referTo(text).digest;

/** The promises of the port that every store of texts keeps. */
export function textsContract(name: string, open: () => Promise<OpenedTexts>): void {
  describe(`texts: ${name}`, () => {
    let opened: OpenedTexts;
    let texts: Texts;
    let workspaceId: string;
    const put = (text: string, base?: string) =>
      texts.put(workspaceId, [
        { digest: digestOf(text), text, ...(base === undefined ? {} : { base: digestOf(base) }) },
      ]);
    const read = async (text: string, from = texts) =>
      (await from.get(workspaceId, [digestOf(text)])).get(digestOf(text));
    const stored = (of?: string) => allOf(texts.storedTexts(of));
    beforeEach(async () => {
      opened = await open();
      texts = opened.texts;
      workspaceId = `ws_${randomUUID()}`;
    });
    afterEach(() => opened.close());

    it.each([
      ['an empty text', ''],
      ['CRLF and a BOM', '\ufeffone\r\ntwo\r\n'],
      ['lone surrogates', 'a\ud800b\udc00\ud83d'],
      ['two megabytes', longText(2_000_000)],
    ])('returns %s, also after a restart', async (_, text) => {
      await put(text);
      expect((await read(text)) === text).toBe(true);
      texts = await opened.reopen();
      expect((await read(text)) === text).toBe(true);
    });

    it('returns every text of any sequence of edits', async () => {
      const edit = fc.record({
        at: fc.nat(3_000),
        cut: fc.nat(40),
        text: fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { maxLength: 40 }), async (edits) => {
          const all = [longText(2_000)];
          await put(all[0] ?? '');
          for (const { at, cut, text } of edits) {
            const before = all.at(-1) ?? '';
            const after = before.slice(0, at) + String.fromCharCode(...text) + before.slice(at + cut);
            await put(after, before);
            all.push(after);
          }
          texts = await opened.reopen();
          const found = await texts.get(workspaceId, all.map(digestOf));
          expect(all.every((text) => found.get(digestOf(text)) === text)).toBe(true);
        }),
        { numRuns: 5 },
      );
    });

    it('needs little space for a small change of a large text', async () => {
      const all = [longText(200_000)];
      for (let edit = 0; edit < 14; edit++)
        all.push(`${all[edit]?.slice(0, 9_000)}edit ${edit};${all[edit]?.slice(9_003)}`);
      for (const [at, text] of all.entries()) await put(text, all[at - 1]);
      const sizes = (await stored(workspaceId)).map(({ packed }) => packed.length).sort((a, b) => b - a);
      expect(sizes).toHaveLength(all.length);
      expect(sizes[0]).toBeGreaterThan(100_000);
      expect(sizes.slice(1).every((size) => size < 500)).toBe(true);
    });

    it('stores a text once, however often it is put', async () => {
      const text = longText(5_000);
      await Promise.all(Array.from({ length: 10 }, () => put(text)));
      await put(text, longText(10));
      expect(await stored(workspaceId)).toHaveLength(1);
    });

    it('has no text that was never put', async () => {
      expect(await read('never')).toBeUndefined();
    });

    it('reveals nothing of the texts of another workspace', async () => {
      const text = longText(3_000);
      await put(text);
      expect(await texts.get(`ws_${randomUUID()}`, [digestOf(text)])).toEqual(new Map());
      const elsewhere = `ws_${randomUUID()}`;
      await texts.put(elsewhere, [{ digest: digestOf(`${text}.`), text: `${text}.`, base: digestOf(text) }]);
      const [other] = await stored(elsewhere);
      expect(other?.base).toBeNull();
    });

    it('exports every text after its base, and only those of the workspace', async () => {
      const elsewhere = `ws_${randomUUID()}`;
      const other = longText(2_000);
      await texts.put(elsewhere, [{ digest: digestOf(other), text: other }]);
      const all = [longText(4_000)];
      for (let edit = 0; edit < 40; edit++) all.push(`${all[edit]}${edit}`);
      for (const [at, text] of all.entries()) await put(text, all[at - 1]);
      const found = await stored(workspaceId);
      expect(found.map(({ digest }) => digest).sort()).toEqual(all.map(digestOf).sort());
      const seen = new Set<string | null>([null]);
      for (const { digest, base } of found) {
        expect(seen.has(base)).toBe(true);
        seen.add(digest);
      }
      expect((await stored()).some(({ workspaceId: of }) => of === elsewhere)).toBe(true);
    });

    it('gives another store everything for the same texts, also repeatedly', async () => {
      const all = [longText(4_000)];
      for (let edit = 0; edit < 20; edit++) all.push(`${all[edit]}${edit}`);
      for (const [at, text] of all.entries()) await put(text, all[at - 1]);
      const target = await opened.another();
      for (let time = 0; time < 2; time++) for (const one of await stored(workspaceId)) await target.putStored(one);
      for (const text of all) expect((await read(text, target)) === text).toBe(true);
      await target.close();
    });

    it('does not import a text that does not match its digest, or lacks its base', async () => {
      const [one, two] = [longText(4_000), longText(4_000)];
      await put(one);
      await put(`${one}.`, one);
      const [whole, onBase] = await stored(workspaceId);
      const target = await opened.another();
      if (whole === undefined || onBase === undefined) throw new Error('Both should be stored.');
      await expect(target.putStored(onBase)).rejects.toThrow(TextDamaged);
      await expect(target.putStored({ ...whole, digest: digestOf(two) })).rejects.toThrow(TextDamaged);
      await expect(target.putStored({ ...whole, packed: Buffer.from('damaged') })).rejects.toThrow(TextDamaged);
      expect(await read(one, target)).toBeUndefined();
      await target.close();
    });

    it('refuses everything once it is closed', async () => {
      await texts.check();
      await texts.close();
      await expect(put('late')).rejects.toThrow(TextsUnavailable);
      await expect(read('late')).rejects.toThrow(TextsUnavailable);
      await expect(texts.check()).rejects.toThrow(TextsUnavailable);
    });
  });
}
