import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { framed } from './frame.js';
import * as site from './index.js';
import { findPage } from './route.js';
import type * as Declared from './site.js';

/** site.d.ts must declare exactly what index exports. */
const declared: typeof Declared = site;
const undeclared: Record<Exclude<keyof typeof site, keyof typeof Declared>, never> = {};

const user = { id: 'usr_1', email: 'ada@example.org', name: 'Ada', roles: ['Author'], roleIds: ['rol_1'] } as const;

let asked: { path: string; init: RequestInit }[] = [];
let answer: () => Response;
beforeEach(() => {
  asked = [];
  answer = () => Response.json({});
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (path, init) => {
    asked.push({ path: String(path), init: init ?? {} });
    return answer();
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  site.configure({ api: '/api' });
});
const headersOf = (at: number) => asked[at]?.init.headers as Record<string, string>;
const bodyOf = (at: number) => JSON.parse(String(asked[at]?.init.body));

it('is declared completely', () => {
  expect(Object.keys({ ...declared, ...undeclared }).sort()).toEqual(
    'Link RequireEntitlement RequireRole SiteError auth configure email functions navigate payments proxy realtime tables useFunction useParams useRows useUser'.split(
      ' ',
    ),
  );
});

describe('calls', () => {
  it('resolve to what the function returns', async () => {
    answer = () => Response.json({ success: true, data: { sum: 3 }, executionTime: 4 });
    await expect(site.functions.invoke('add up', { a: 1 })).resolves.toEqual({ sum: 3 });
    expect(asked[0]).toMatchObject({ path: '/api/functions/add%20up', init: { method: 'POST', body: '{"a":1}' } });
  });

  it.each([
    [Response.json({ code: 'execute-refused', detail: 'No.' }, { status: 403 }), [403, 'execute-refused', 'No.']],
    [Response.json({ success: false, error: 'Sold out' }, { status: 422 }), [422, 'function-failed', 'Sold out']],
    [new Response('<h1>', { status: 502 }), [502, 'failed', 'The site answered with status 502.']],
  ])('throw refusals, %#', async (response, [status, code, message]) => {
    answer = () => response;
    const error = await site.functions.invoke('f').catch((one: unknown) => one);
    expect(error).toBeInstanceOf(site.SiteError);
    expect(error).toMatchObject({ status, code, message });
  });

  it('throw if there is no answer', async () => {
    answer = () => {
      throw new TypeError('fetch failed');
    };
    await expect(site.auth.me()).rejects.toMatchObject({ status: 0, code: 'unreachable' });
  });

  it('of the proxy contain the address and the options', async () => {
    answer = () => Response.json({ status: 404, headers: {}, body: 'Not there' });
    const init = { method: 'POST', headers: { 'X-Key': '{{secret:KEY}}' }, body: { a: 1 }, timeout: 500 };
    await expect(site.proxy.fetch('https://api.example.com/', init)).resolves.toMatchObject({ status: 404 });
    expect([asked[0]?.path, bodyOf(0)]).toEqual(['/api/proxy', { url: 'https://api.example.com/', ...init }]);
  });

  it('of tables contain their arguments by name', async () => {
    await site.tables.getRows('Orders', { limit: 2 });
    await site.tables.updateRow('Orders', 'row_1', { open: false });
    await site.tables.bulkUpdateRows('Orders', [{ id: 'row_1', values: {} }]);
    expect(asked.map(({ path }) => path)).toEqual([
      '/api/tables/getRows',
      '/api/tables/updateRow',
      '/api/tables/bulkUpdateRows',
    ]);
    expect([0, 1, 2].map(bodyOf)).toEqual([
      { table: 'Orders', limit: 2 },
      { table: 'Orders', id: 'row_1', values: { open: false } },
      { table: 'Orders', rows: [{ id: 'row_1', values: {} }] },
    ]);
  });
});

describe('an external app', () => {
  it('calls the configured address, and keeps the session until the sign-out', async () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    };
    site.configure({ api: 'https://service.example/api/app/prj_1/', storage });
    answer = () => Response.json({ user, session: { token: 'secret', expiresAt: '2030-01-01T00:00:00Z' } });
    await site.auth.login({ email: 'ada@example.org', password: 'correct horse' });
    expect(asked[0]?.path).toBe('https://service.example/api/app/prj_1/auth/login');
    expect(asked[0]?.init.credentials).toBe('omit');
    await site.email.send({ to: 'bob@example.org', subject: 'Hi' });
    expect(headersOf(1)['X-Site-Session']).toBe('secret');
    answer = () => Response.json({ success: true });
    await site.auth.logout();
    await site.auth.me();
    expect(headersOf(3)['X-Site-Session']).toBeUndefined();
    expect(kept.size).toBe(0);
  });

  it('is not signed in while the email must be verified', async () => {
    site.configure({ api: '/elsewhere' });
    answer = () => Response.json({ user, verificationRequired: true });
    await site.auth.signup({ email: 'ada@example.org', password: 'correct horse' });
    await site.auth.me();
    expect(headersOf(1)['X-Site-Session']).toBeUndefined();
  });
});

describe('during prerendering', () => {
  it('nobody is signed in, and the path gives the params', () => {
    function Post() {
      const { slug } = site.useParams();
      const member = createElement(site.RequireRole, { role: 'Author', fallback: 'Members only' }, 'Secret');
      return createElement('p', null, `${slug} ${site.useUser() === null} `, member);
    }
    const html = renderToString(framed(Post, { path: '/blog/one', params: { slug: 'one' } }));
    expect(html.replaceAll('<!-- -->', '')).toBe('<p>one true Members only</p>');
  });

  it('a function is loading, and a link is a link', () => {
    function Page() {
      const { loading, data } = site.useFunction('stock');
      return createElement(site.Link, { href: '/about', className: 'x' }, `${loading} ${data}`);
    }
    expect(renderToString(createElement(Page))).toBe('<a href="/about" class="x">true undefined</a>');
    expect(asked).toEqual([]);
  });
});

describe('the page at a path', () => {
  const pages = ['/', '/blog/:slug', '/blog/new', '/:any/new', '/a/:b/c'].map((path) => ({ path }));
  const found = (path: string) => {
    const one = findPage(pages, path);
    return one && [one.page.path, one.params];
  };

  it.each([
    ['/', ['/', {}]],
    ['/blog/new', ['/blog/new', {}]],
    ['/blog/one', ['/blog/:slug', { slug: 'one' }]],
    ['/shop/new', ['/:any/new', { any: 'shop' }]],
    ['/blog/a%20b', ['/blog/:slug', { slug: 'a b' }]],
    ['/blog/a%2Fb', undefined],
    ['/blog/', undefined],
    ['/blog/..', undefined],
    ['/blog', undefined],
    ['/blog/one/two', undefined],
    ['/blog/%E0%A4', undefined],
  ])('finds the page at %s', (path, expected) => {
    expect(found(path)).toEqual(expected);
  });
});
