// Second tier.
import { expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { done } from '../support/people.js';
import { describeInChromium, startsInBrowser, type TestBrowser } from '../support/sites/browser.js';

const everybody = { type: 'public', scope: 'everywhere' };

const live = `import { useEffect, useState } from 'react';
import { realtime, useRows } from '@countersign/site';
export default function Live() {
  const [lines, setLines] = useState<string[]>([]);
  const [state, setState] = useState('off');
  const { rows, total, loading } = useRows('Tasks', { filter: { done: { ne: true } }, sort: [{ field: 'title', dir: 'asc' }] });
  useEffect(() => realtime.subscribe<string>('chat', (line) => setLines((before) => [...before, line]), {
    onBegin: () => setState('on'),
    onEnd: ({ code }) => setState(code),
  }), []);
  return <main>
    <h1>{loading ? 'loading' : total + ' tasks'}</h1>
    <ul>{rows.map(({ id, title }) => <li key={id}>{title}</li>)}</ul>
    <p role="status">{state}: {lines.join(' ')}</p>
    <button onClick={() => realtime.publish('chat', 'hello')}>Say hello</button>
  </main>;
}
`;

const notes = `import { auth, useRows } from '@countersign/site';
export default function Notes() {
  const { rows, total, error, loading, reload } = useRows('Notes');
  return <main>
    <h1>{loading ? 'loading' : error?.code ?? total + ' notes'}</h1>
    <ul>{rows.map(({ id, title }) => <li key={id}>{title}</li>)}</ul>
    <button onClick={() => auth.login({ email: 'ada@example.com', password: 'correct horse' })}>Sign in</button>
    <button onClick={() => auth.logout()}>Sign out</button>
    <button onClick={reload}>Reload</button>
  </main>;
}
`;

describeInChromium('realtime in pages', (executablePath) => {
  let app: TestApp;
  let browser: TestBrowser;
  let origin: string;
  let projectId: string;
  let tableId: string;
  startsInBrowser(executablePath, async (started, chromium) => {
    [app, browser] = [started, chromium];
    ({ id: projectId } = await done(app, 'site/createProject', { name: 'Live' }));
    const { subdomain, pages, linkedBase } = await done(app, 'site/getProject', { id: projectId });
    origin = `http://${subdomain}.localhost:${new URL(app.url).port}`;
    const fields = [
      { name: 'title', type: 'text' },
      { name: 'done', type: 'boolean' },
    ];
    ({ id: tableId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Tasks', fields }));
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read: everybody } });
    await done(app, 'site/updateProjectAuth', { id: projectId, authEnabled: true });
    await done(app, 'site/createAppUser', { projectId, email: 'ada@example.com', password: 'correct horse' });
    const { id: notesId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Notes', fields });
    await done(app, 'bases/setTableAccessRules', {
      tableId: notesId,
      accessRules: { read: { type: 'authenticated' } },
    });
    await done(app, 'bases/createRow', { tableId: notesId, values: { title: 'For users' } });
    await done(app, 'site/createPage', { projectId, name: 'Notes', path: '/notes', content: notes });
    await done(app, 'site/setChannelAccessRules', {
      projectId,
      pattern: 'chat',
      accessRules: { subscribe: everybody, publish: everybody },
    });
    await done(app, 'site/updatePage', { id: pages[0].id, content: live });
    await done(app, 'site/publish', { id: projectId });
    const status = () => done(app, 'site/getPublishStatus', { projectId });
    expect(await eventually(status, (now) => now === null || now.stage === 'failed', 60_000)).toBeNull();
  });

  it('messages arrive in all pages, and lists show changes, until the rules deny it', async () => {
    const [one, two] = [await browser.open(), await browser.open()];
    for (const page of [one, two]) {
      await page.goto(origin);
      await page.getByText('0 tasks').waitFor();
      await page.getByText('on:').waitFor();
    }
    await one.getByText('Say hello').click();
    for (const page of [one, two]) await page.getByText('on: hello').waitFor();
    const { id } = await done(app, 'bases/createRow', { tableId, values: { title: 'Buy tea' } });
    await two.getByText('Buy tea').waitFor();
    await one.getByText('1 tasks').waitFor();
    await done(app, 'bases/updateRow', { tableId, id, values: { title: 'Drink tea' } });
    await one.getByText('Drink tea').waitFor();
    await done(app, 'bases/updateRow', { tableId, id, values: { done: true } });
    for (const page of [one, two]) await page.getByText('0 tasks').waitFor();
    expect(await two.getByRole('listitem').count()).toBe(0);
    await done(app, 'site/setChannelAccessRules', { projectId, pattern: 'chat', accessRules: { subscribe: [] } });
    for (const page of [one, two]) await page.getByText('channel-denied: hello').waitFor();
  }, 60_000);

  it('lists show nothing that was read by the previous user, and nothing after a refusal', async () => {
    const page = await browser.open();
    const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
    const press = (name: string) => page.getByRole('button', { name }).click();
    const listed = () => page.getByRole('listitem').count();
    await page.goto(`${origin}/notes`);
    await heading('0 notes');
    await press('Sign in');
    await heading('1 notes');
    const { promise: letThrough, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/api/tables/getRows', (route) => letThrough.then(() => route.continue()));
    await press('Sign out');
    await heading('loading');
    expect(await listed()).toBe(0);
    letGo();
    await heading('0 notes');
    await press('Sign in');
    await heading('1 notes');
    await page.route('**/api/tables/getRows', (route) =>
      route.fulfill({ status: 403, json: { code: 'field-not-readable' } }),
    );
    await press('Reload');
    await heading('field-not-readable');
    expect(await listed()).toBe(0);
  }, 60_000);
});
