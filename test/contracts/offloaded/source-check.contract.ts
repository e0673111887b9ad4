import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type SourceCheck,
  SourceCheckGivenUp,
  type SourceFacts,
} from '../../../src/ports/offloaded/source-check.port.js';
import { cases } from '../../support/depth.js';

/**
 * The promises of every `SourceCheck` adapter.
 * @param open - creates an adapter with this time limit per request
 */
export function sourceCheckContract(name: string, open: (deadlineMs?: number) => SourceCheck): void {
  describe(`${name} as a check of sources`, () => {
    let checks: SourceCheck;
    const opened: SourceCheck[] = [];
    const make = (deadlineMs?: number) => {
      const made = open(deadlineMs);
      opened.push(made);
      return made;
    };
    beforeEach(() => {
      checks = make();
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });

    const read = (sources: readonly string[], { from = checks, workspaceId = 'w1' } = {}) =>
      from.read({ workspaceId, sources });
    const one = async (source: string): Promise<SourceFacts | undefined> => (await read([source]))[0];
    const good = 'export default function Page() { return <p />; }';

    it('returns the facts of each module, in order', async () => {
      const facts = await read([good, 'export const a = 1;', 'export default () => <Hero />;', good]);
      expect(facts.map(({ hasDefaultExport }) => hasDefaultExport)).toEqual([true, false, true, true]);
      expect(facts.map(({ undefinedJsx }) => undefinedJsx)).toEqual([[], [], [{ name: 'Hero', line: 1 }], []]);
      expect(await read([])).toEqual([]);
    });

    it('names the imports that run with a module, with their lines, but no type imports', async () => {
      const facts = await one(
        "import a from 'a';\nimport type { B } from 'b';\nexport * from 'c';\nconst d = () => import('d');\nrequire('e');",
      );
      expect(facts?.imports.toSorted((x, y) => x.line - y.line)).toEqual([
        { from: 'a', line: 1, names: [] },
        { from: 'c', line: 3, names: [] },
        { from: 'd', line: 4, names: [] },
        { from: 'e', line: 5, names: [] },
      ]);
    });

    it('names the exports of a module, and the component values that it uses', async () => {
      const facts = await one(`
        import { a, b as c, D, E, type F } from '@/components/Card';
        export const g = (a: D) => a, [h, { i: j }] = c; export function k() {} export class L {} export type M = E;
        export * from '@/components/Hero'; export { n as 'o' } from '@/components/Card'; export { g as default };
        const { a: own } = { a: a.D };`);
      expect(facts?.exports).toEqual({
        names: expect.arrayContaining(['g', 'h', 'j', 'k', 'L', 'o', 'default']),
        allOf: ['@/components/Hero'],
      });
      expect(facts?.exports.names).toHaveLength(7);
      const card = facts?.imports.find(({ line }) => line === 2);
      expect(card?.names).toEqual(['a', 'b'].map((name) => ({ name, line: 2 })));
    });

    it('recognises every way to declare a tag', async () => {
      const facts = await one(`
        import A, { B as C } from 'x'; import * as D from 'y';
        const { E, f: [G = 1, ...H] } = {}; function I({ J }) { return <J />; } class K {} enum L { M }
        export default () => { try {} catch (N) { return <N /> } return <><A /><C /><D.X /><E /><G /><H /><I /><K /><L /><O /><B /></>; };
        var O;`);
      expect(facts?.undefinedJsx.map(({ name }) => name)).toEqual(['B']);
    });

    it('reports where a module cannot be parsed, and nothing else about it', async () => {
      const facts = await one('export default () => {\n  return <main>;\n};');
      expect(facts).toEqual({
        syntax: [{ line: expect.any(Number), message: expect.stringMatching(/\w/) }],
        hasDefaultExport: false,
        imports: [],
        exports: { names: [], allOf: [] },
        undefinedJsx: [],
      });
    });

    it.each([
      ['nothing', ''],
      ['a NUL, lone surrogates and a BOM', '\ufeffexport default () => "\u0000\ud800";'],
      ['carriage returns', 'export default () =>\r\n  <p />;\r\n'],
      ['names of objects', 'export default () => <constructor />; const toString = 1, __proto__ = 2;'],
    ])('reads a module with %s', async (_, source) => {
      expect((await one(source))?.syntax).toEqual([]);
    });

    it.each(
      cases(2, [
        ['tags', `export default () => ${'<a>'.repeat(600_000)}`],
        ['brackets', '['.repeat(1_900_000)],
        ['sums', `export default () => ${'1+'.repeat(900_000)}1`],
        ['functions', '(()=>'.repeat(300_000)],
        ['templates', '`${'.repeat(600_000)],
        ['types', `type A = ${'['.repeat(900_000)}`],
      ]),
    )(
      'survives %s nested without end, in 2 MB',
      async (_, source) => {
        const answer = await one(source).catch((error: unknown) => error);
        if (!(answer instanceof SourceCheckGivenUp)) expect(answer).toHaveProperty('syntax');
        expect((await one(good))?.hasDefaultExport).toBe(true);
      },
      120_000,
    );

    it('reports too deep nesting after names, and reads any number of tags and comparisons', async () => {
      expect(await one(`${good}\n${'a<'.repeat(400)}`)).toMatchObject({
        syntax: [{ line: 2, message: expect.stringContaining("200 '<' are open") }],
      });
      const tags = `${'<b>one</b>'.repeat(1_000)}${'<i>'.repeat(300)}${'</i>'.repeat(300)}`;
      const comparisons = 'if (a < b) { c(); }\n'.repeat(1_000);
      const generics = 'var x: Map<string, Array<number>> = f<string>((a) => a);\n'.repeat(300);
      expect(await one(`${comparisons}${generics}export default () => <p>${tags}</p>;`)).toMatchObject({
        syntax: [],
        hasDefaultExport: true,
      });
    });

    it('aborts a check that takes too long, and goes on with the next', async () => {
      const impatient = make(1);
      const long = Array.from({ length: 20_000 }, (_, n) => `export const C${n} = () => <p>{${n}}</p>;`).join('\n');
      await expect(read([long], { from: impatient })).rejects.toThrow(SourceCheckGivenUp);
      expect(await read([good])).toHaveLength(1);
    }, 60_000);

    it('returns each answer to its caller, with many at once', async () => {
      const asked = Array.from({ length: 60 }, (_, n) =>
        read([`export default () => <C${n} />;`], { workspaceId: `w${n % 4}` }),
      );
      const names = (await Promise.all(asked)).map(([facts]) => facts?.undefinedJsx[0]?.name);
      expect(names).toEqual(Array.from({ length: 60 }, (_, n) => `C${n}`));
    }, 60_000);

    it('serves a workspace while another has many checks waiting', async () => {
      const source = Array.from({ length: 1_500 }, (_, n) => `export const C${n} = () => <p>{${n}}</p>;`).join('\n');
      let left = 6;
      const all = Array.from({ length: left }, () => read([source]).then(() => (left -= 1)));
      await read([good], { workspaceId: 'other' });
      expect(left).toBeGreaterThan(0);
      await Promise.all(all);
    }, 120_000);

    it('rejects waiting and new checks when it is closed', async () => {
      const all = Array.from({ length: 5 }, () => read([good]));
      const ends = Promise.allSettled(all);
      await checks.close();
      for (const end of await ends) expect(end.status).toBe('rejected');
      await expect(read([good])).rejects.toThrow('is stopping');
    });
  });
}
