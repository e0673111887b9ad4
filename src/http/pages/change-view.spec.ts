import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/depth.js';
import type { Json } from '../../kernel/json/json.js';
import { changeView } from './change-view.js';

const view = (path: string, from: Json, to: Json) => changeView({ path, from, to }, false).text;
const seen = (path: string, from: Json, to: Json) => view(path, from, to).replace(/<details>[\s\S]*<\/details>/, '');
const added = (shown: string) => `<li class="added"><ins><span class="sign">+ new: </span>${shown}</ins></li>`;
const removed = (shown: string) => `<li class="removed"><del><span class="sign">− removed: </span>${shown}</del></li>`;

describe('a change on a card', () => {
  const stripe = { name: 'STRIPE_KEY', hosts: ['api.stripe.com'] };

  it('shows secrets as items, one for each host, and not as JSON', () => {
    const two = { name: 'STRIPE_KEY', hosts: ['api.stripe.com', 'eu.stripe.com'] };
    const shown = seen('secrets', [stripe, { name: 'OLD', hosts: [] }], [two]);
    expect(shown).toContain('<li><code>STRIPE_KEY</code> to <code>api.stripe.com</code></li>');
    expect(shown).toContain(added('<code>STRIPE_KEY</code> to <code>eu.stripe.com</code>'));
    expect(shown).toContain(removed('<code>OLD</code> to check signatures'));
    expect(shown).not.toMatch(/[{}[\]]/);
  });

  it('shows of a host that an Admin would open it, and how a key is read', () => {
    const keyFormat = { encoding: 'hex', prefix: 'whsec_' };
    const shown = seen('secrets', [], [{ ...stripe, opened: true, keyFormat }]);
    expect(shown).toContain('<span class="meaning">the secret itself does not allow this host</span>');
    expect(shown).toContain(added('<code>STRIPE_KEY</code> read as <code>hex</code> behind <code>whsec_</code>'));
  });

  it('shows what a function reaches, and who may start it, item by item', () => {
    const grants = { bases: [{ projectId: 'proj_1', access: 'read' }], databaseIds: [] };
    const more = { ...grants, bases: [...grants.bases, { projectId: 'proj_2', access: 'write' }] };
    expect(seen('grants', grants, more)).toContain(
      added('bases: projectId <code>proj_2</code>, access <code>write</code>'),
    );
    const rules = { execute: null, runBy: { pages: false, functions: [], agents: [] } };
    const opened = { execute: { type: 'authenticated' }, runBy: { ...rules.runBy, pages: true } };
    const shown = seen('accessRules', rules, opened);
    expect(shown).toContain(removed('runBy · pages: <code>false</code>'));
    expect(shown).toContain(added('runBy · pages: <code>true</code>'));
    expect(shown).toContain(added('execute · type: <code>authenticated</code>'));
  });

  it('also contains all of it as it is recorded', () => {
    expect(view('grants', { bases: [] }, { bases: ['a'] })).toContain('<details><summary>As it is recorded</summary>');
    expect(view('capabilities', [], ['email'])).not.toContain('<details>');
  });

  it('shows a new order, long texts and long lists line by line', () => {
    expect(view('steps', ['a', 'b'], ['b', 'a'])).toContain('<table class="diff">');
    expect(view('steps', ['a\nb'], ['a\nc'])).toContain('<table class="diff">');
    const long = Array.from({ length: 300 }, (_, n) => n);
    expect(view('steps', [], long)).toContain('<table class="diff">');
  });

  it('never shows one text as two, or as markup', () => {
    const one = seen('filters', [], [{ field: 'a</code>, op <code>is', op: '<b>' }]);
    expect(one).toContain('field <code>a&lt;/code&gt;, op &lt;code&gt;is</code>, op <code>&lt;b&gt;</code>');
  });

  it('property: always shows that something changes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (from, to) => {
        fc.pre(JSON.stringify(from) !== JSON.stringify(to));
        fc.pre(!Object.is(from, -0) && !Object.is(to, -0));
        const shown = view('anything', from as Json, to as Json);
        expect(shown).toMatch(/class="(added|removed|pair|diff)"/);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
