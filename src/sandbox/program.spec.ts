import { parse } from 'acorn';
import { full } from 'acorn-walk';
import fc from 'fast-check';
import { runs } from '../../test/support/depth.js';
import { checkProgram } from './program.js';

type Entry = (params: unknown, ctx: unknown) => Promise<unknown>;

function accepted(code: string | undefined): { readonly source: string; readonly columnShift: number } {
  const checked = checkProgram(code);
  if (!checked.ok) throw new Error(`refused: ${JSON.stringify(checked)}`);
  return { source: checked.program.source, columnShift: checked.columnShift };
}

function refused(code: string) {
  const checked = checkProgram(code);
  if (checked.ok) throw new Error(`accepted: ${code}`);
  const { line, column, message, problem } = checked;
  return { line, column, message, problem };
}

async function outcome(code: string, params: unknown = {}): Promise<unknown> {
  const entry = new Function(`return ${accepted(code).source}`)() as Entry;
  return entry(params, {}).then(
    (value) => ({ value }),
    (thrown) => ({ thrown: String(thrown) }),
  );
}

describe('checkProgram', () => {
  it('accepts a body with await and return', async () => {
    expect(await outcome('const a = await params.a;\nreturn a + 1 // last words', { a: 1 })).toEqual({ value: 2 });
  });

  it.each(['', undefined, '  \n', '// nothing'])('accepts %j as a body without an answer', async (code) => {
    const entry = new Function(`return ${accepted(code).source}`)() as Entry;
    expect(await entry({}, {})).toBeUndefined();
  });

  it.each([
    'export default async (params, ctx) => { return params.a };',
    'export default (params) => params.a // said',
    'export default async function named(params) { return params.a }',
    'export default function (params) { return params.a }\n(0)',
    'const f = (params) => params.a;\nexport default f',
    'export /* a */\n default /* b */ (p) => p.a',
    'const before = own({ a: 7 }); export default function own(params) { return params.a || before }',
    'const params = 1, ctx = 2; export default (p) => p.a',
    'export default (0, (p) => p.a)',
    'const late = await Promise.resolve(0); export default async (p) => p.a + late',
  ])('accepts a module with one default export: %s', async (code) => {
    expect(await outcome(code, { a: 7 })).toEqual({ value: 7 });
  });

  it('reports at run time if the default export is not a function', async () => {
    expect(await outcome('export default 3')).toEqual({ thrown: 'The default export is not a function.' });
  });

  it.each([
    ['import x from "y"', 1],
    ['const a = 1;\nif (a) {\n  await import("x") }', 3],
    ['return () => () =>\n import.meta.url', 2],
    ['export * from "x"', 1],
    ['export default async () => { class A { static async b() {\n return import("x") } } }', 2],
  ])('refuses to import: %j', (code, line) => {
    expect(refused(code)).toMatchObject({ problem: 'import', line });
  });

  it.each([
    'return "import x from y"; // import("a")',
    '/* import.meta */ return `import("x")`',
    'return {import: 1}.import',
  ])('accepts the word where it has no effect: %s', (code) => {
    expect(checkProgram(code).ok).toBe(true);
  });

  it.each([
    'export const a = 1',
    'export default class {}',
    'export default 1; export default 2',
    'const x = 1; export { x as default }',
    'if (1) { export default 1 }',
    'const a = 1; export { a }; export default () => 1',
  ])('refuses another export: %s', (code) => {
    expect(refused(code).problem).toBe('export');
  });

  it.each([
    ['return 1 +', 1, 11],
    ['let a;\n  let a', 2, 7],
    ['let ctx = 1', 1, 5],
    ['}); evil(); (async () => {', 1, 1],
    ['return `', 1, 9],
    ['export default () => 1; return 2', 1, 25],
  ])("reports the position of a mistake in the author's text: %j", (code, line, column) => {
    expect(refused(code)).toMatchObject({ problem: 'syntax', line, column });
  });

  it.each(['('.repeat(100_000), '['.repeat(100_000), '1+'.repeat(100_000), '`${'.repeat(50_000), '!'.repeat(200_000)])(
    'survives nesting %#',
    (code) => {
      expect(refused(code)).toMatchObject({ problem: 'syntax' });
    },
  );

  it('keeps every line where its author wrote it', () => {
    for (const code of ['a;\nb;\nc', 'let a;\nexport default () => a;\n// c']) {
      const { source, columnShift } = accepted(code);
      const lines = source.split('\n');
      expect(lines[0]?.slice(columnShift)).toHaveLength(code.split('\n')[0]?.length ?? 0);
      expect(lines[2]).toBe(code.split('\n')[2]);
    }
  });

  it('never throws, and never accepts an import', () => {
    const words = [
      ...'(){}[];,=`\'"/\\\n*',
      '=>',
      '-->',
      '<!--',
      'import',
      'import(',
      'import.meta',
      'export',
      'default',
    ].concat(['async', 'await', 'function', 'return', 'class', 'x', '1', ' ', '${', '//', '/*', '*/', '#!', '\u2028']);
    const texts = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (code) => {
        const checked = checkProgram(code);
        if (!checked.ok) return checked.line >= 1 && checked.column >= 1 && !checked.message.includes('\n');
        let imports = false;
        const syntax = parse(checked.program.source, { ecmaVersion: 'latest' });
        full(syntax, ({ type }) => {
          imports ||= type.startsWith('Import');
        });
        return !imports && syntax.body.length === 1;
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('runs a body and the same text as a default export equally', async () => {
    const value = fc.constantFrom('1', 'params.a', '"t"', '[a, 2]', '{ k: a }.k', 'await a', '(() => a)()', 'ctx.b');
    const step = fc.oneof(
      value.map((text) => `a = (${text === '{ k: a }.k' ? `(${text})` : text});`),
      value.map((text) => `if (a) { let b = (${text.startsWith('{') ? 'a' : text}); a = [a, b]; }`),
      fc.constant('for (const x of [1, 2]) a = [x, a]; // on'),
      fc.constant('throw new Error("e" + JSON.stringify(a))'),
      fc.constant('return a'),
    );
    const body = fc.array(step, { maxLength: 6 }).map((steps) => ['let a = 0;', ...steps, 'return [a]'].join('\n'));
    await fc.assert(
      fc.asyncProperty(body, async (code) => {
        const params = { a: 5 };
        const asModule = `export default async (params, ctx) => {${code}\n}`;
        expect(await outcome(asModule, params)).toEqual(await outcome(code, params));
      }),
    );
  });
});
