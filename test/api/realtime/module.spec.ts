import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type * as Site from '../../../src/site-module/site.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { type SiteVisitors, siteVisitors, visitorPassword } from '../../support/sites/site-visitors.js';

// The specifier is typed as a string to hide the module from tsc, which checks it with browser types instead.
const siteModule: string = '../../../src/site-module/index.js';
const { auth, configure, realtime } = (await import(siteModule)) as typeof Site;

let app: TestApp;
let visitors: SiteVisitors;
const stops: (() => void)[] = [];
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());
beforeEach(async () => {
  visitors = await siteVisitors(app);
  const held = new Map<string, string>();
  configure({
    api: `${app.url}/api/app/${visitors.projectId}`,
    storage: {
      getItem: (name) => held.get(name) ?? null,
      setItem: (name, value) => void held.set(name, value),
      removeItem: (name) => void held.delete(name),
    },
  });
  await visitors.user('ada@example.com');
  await rule('chat:*', { subscribe: signedIn, publish: signedIn });
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await auth.logout();
});

const signedIn = { type: 'authenticated' };
const rule = (pattern: string, accessRules: object) =>
  done(app, 'site/setChannelAccessRules', { projectId: visitors.projectId, pattern, accessRules });
const signIn = () => auth.login({ email: 'ada@example.com', password: visitorPassword });
const hearing = async (channel: string) => {
  const heard: unknown[] = [];
  const ends: string[] = [];
  let begun = 0;
  const stop = realtime.subscribe(channel, (data) => heard.push(data), {
    onBegin: () => {
      begun += 1;
    },
    onEnd: ({ code }) => ends.push(code),
  });
  stops.push(stop);
  await eventually(
    async () => begun + ends.length,
    (settled) => settled > 0,
  );
  return { heard, ends, stop, begun: () => begun };
};
const comes = (heard: unknown[], wanted: unknown[]) =>
  eventually(
    async () => heard,
    (got) => JSON.stringify(got) === JSON.stringify(wanted),
  );

describe('realtime of @countersign/site', () => {
  it('receives published messages in order until it is stopped', async () => {
    await signIn();
    const chat = await hearing('chat:1');
    const other = await hearing('chat:2');
    for (const n of [1, 2, 3]) await realtime.publish('chat:1', { n });
    await comes(chat.heard, [{ n: 1 }, { n: 2 }, { n: 3 }]);
    chat.stop();
    await realtime.publish('chat:1', 'unheard');
    await realtime.publish('chat:2', 'heard');
    await comes(other.heard, ['heard']);
    expect(chat.heard).toHaveLength(3);
  });

  it('throws refusals, and reports when a subscription is or becomes invalid', async () => {
    await expect(realtime.publish('chat:1', 1)).rejects.toMatchObject({ status: 403, code: 'publish-denied' });
    expect((await hearing('chat:1')).ends).toEqual(['channel-denied']);
    await signIn();
    const chat = await hearing('chat:1');
    await rule('chat:*', { subscribe: [] });
    await comes(chat.ends, ['channel-denied']);
  });

  it('follows sign-in and sign-out on the same page', async () => {
    await rule('open', { subscribe: { type: 'public', scope: 'everywhere' } });
    const open = await hearing('open');
    await signIn();
    await eventually(
      async () => open.begun(),
      (begun) => begun === 2,
    );
    expect((await hearing('chat:1')).ends).toEqual([]);
  });

  it('lists who is present', async () => {
    const { user } = await signIn();
    await hearing('presence:room');
    expect(await realtime.presence('presence:room')).toEqual({
      present: [{ kind: 'user', id: user.id, connections: 1 }],
      total: 1,
    });
    await expect(realtime.presence('room')).rejects.toMatchObject({ code: 'channel-without-presence' });
  });
});
