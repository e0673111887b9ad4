import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { warningKinds } from '../../../src/areas/sites/build/source-warnings.js';
import type { TestApp } from '../../support/app.js';
import { done, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const topics =
  'sdk globals hooks navigation libraries styling components examples errors mcp access auth payments saas functions email templates connectors'.split(
    ' ',
  );
const guide = (body: object = {}) => done(app, 'site/getCodeGuide', body);

describe('getCodeGuide', () => {
  it.each([{}, { topic: 'all' }])('answers only the index for %j', async (body) => {
    const answer = await guide(body);
    expect(Object.keys(answer)).toEqual(['topic', 'topics']);
    expect(answer.topics.map(({ topic }: { topic: string }) => topic)).toEqual(topics);
    for (const { title } of answer.topics) expect(title).toMatch(/^[A-Z]|^npm/);
  });

  it.each(topics)('has a text of its own for %s', async (topic) => {
    const answer = await guide({ topic });
    expect(Object.keys(answer)).toEqual(['topic', 'guide']);
    expect(answer.topic).toBe(topic);
    expect(answer.guide.length).toBeGreaterThan(80);
  });

  it('describes only existing operations, and every kind of warning', async () => {
    const texts = (await Promise.all(topics.map((topic) => guide({ topic })))).map((one) => one.guide).join('\n');
    const named = new Set(
      [...texts.matchAll(/`((?:automations\/)?(?:create|update|edit|set|get|verify)[A-Z][A-Za-z]+)/g)].map(
        ([, name]) => name,
      ),
    );
    expect(named.size).toBeGreaterThan(8);
    for (const name of named) {
      const operation = name?.includes('/') ? name : `site/${name}`;
      expect([operation, (await app.call(operation, { none: 1 })).status]).toEqual([operation, 400]);
    }
    for (const kind of warningKinds) expect(texts).toContain(`\`${kind}\``);
  });

  it('contains the types of the module of pages, completely', async () => {
    const { guide: sdk } = await guide({ topic: 'sdk' });
    expect(sdk).toContain(`\`\`\`ts\n${readFileSync('src/site-module/site.d.ts', 'utf8')}`);
    const guides = await Promise.all(topics.map(async (topic) => [topic, (await guide({ topic })).guide] as const));
    const waiting = guides.filter(([, text]) => text.includes('Not available yet')).map(([topic]) => topic);
    expect(waiting).toEqual([]);
  });

  it('has examples without faults', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Guide' });
    const [, content] = /```tsx\n([\s\S]*?)```/.exec((await guide({ topic: 'examples' })).guide) ?? [];
    await done(app, 'site/createPage', { projectId, name: 'Counter', path: '/counter', content });
    expect(await done(app, 'site/verifyBuild', { projectId })).toEqual({ ok: true, warnings: [] });
  });

  it('refuses an unknown topic, and is open to every member', async () => {
    expect((await app.call('site/getCodeGuide', { topic: 'cooking' })).status).toBe(400);
    expect((await app.call('site/getCodeGuide', {}, (await person(app, 'viewer')).key)).status).toBe(200);
  });
});
