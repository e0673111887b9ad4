import { checkProgram } from './program.js';

function mayReadSites(code: string): boolean {
  const checked = checkProgram(code);
  if (!checked.ok) throw new Error(`refused: ${checked.message}`);
  return checked.mayReadSites;
}

describe('whether code may read ctx.sites', () => {
  it.each([
    'return params.total * 2;',
    "await ctx.fetch('https://example.org'); ctx.log('ctx.sites');",
    'ctx.limits.sites = 1; return ctx?.run.id; // ctx.sites',
    'const sites = params.sites; return sites.sites;',
    'function ctxs(sites) { return sites; } return ctxs({ ctx: 1 }).ctx;',
    'export default async (params, ctx) => ctx.run.id;',
    'export default async function handle(params, c) { return c.email.send(params); }',
    'export default (params) => params.sites;',
    'const ctx = { sites: 1 }; ctx.run; export default () => 1;',
  ])('it may not: %s', (code) => expect(mayReadSites(code)).toBe(false));

  it.each([
    "return ctx.sites['Shop'].users.list();",
    'return ctx?.sites;',
    "return ctx['si' + 'tes'];",
    'return ctx[`run`];',
    'const { run } = ctx; return run;',
    'return Object.keys(ctx);',
    'return { ctx };',
    'const c = ctx; return c.sites;',
    'return (() => c\\u0074x.sites)();',
    'return arguments[1].sites;',
    "return eval('c' + 'tx').sites;",
    'with (ctx) return sites;',
    'for (const { sites } of [ctx]) return sites;',
    'export default async (params, c) => c.sites;',
    'export default async (params, { sites }) => sites;',
    'export default async (...all) => all[1].sites;',
    'export default async (params, ctx = {}) => ctx.run;',
    'export default async (params, ...more) => more[0].sites;',
    'const handle = (params, c) => c.sites; export default handle;',
    'export default function () { return arguments[1].sites; }',
  ])('it may: %s', (code) => expect(mayReadSites(code)).toBe(true));
});
