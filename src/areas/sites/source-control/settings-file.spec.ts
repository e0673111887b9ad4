import { describe, expect, it } from '@jest/globals';
import {
  areSameSettings,
  losesSettings,
  mergeSettings,
  noSettings,
  readSettings,
  replacedEntry,
  type SiteRecords,
  type SiteSettings,
  settingsText,
  siteSettingsOf,
} from './settings-file.js';

const page = (more: object = {}) => ({
  title: null,
  description: null,
  layout: null,
  isHomePage: false,
  isDraft: false,
  ...more,
});
const settings = (pages: Readonly<Record<string, object>>, project: object = {}): SiteSettings => ({
  ...noSettings,
  project: { name: 'Shop', description: null, dependencies: {}, brandKit: null, ...project },
  pages: new Map(Object.entries(pages)) as SiteSettings['pages'],
});

describe('site.json', () => {
  it('is read as it was written', () => {
    const all = settings({ '/': page({ title: 'Home' }) }, { brandKit: { colors: { red: '#f00' } } });
    expect(readSettings(settingsText(all))).toEqual(all);
  });

  it.each([
    ['[]', 'must be an object'],
    ['{"rules":{}}', 'rules is not a setting'],
    ['{"pages":[]}', 'pages must be an object'],
    ['{"pages":{"/":{"requiredRole":null}}}', "pages['/'].requiredRole is not a setting"],
    ['{"pages":{"/":{"accessRules":{}}}}', 'accessRules is not a setting'],
    ['{"__proto__":{}}', '__proto__ is not a setting'],
  ])('refuses site.json with %s', (text, why) => expect(() => readSettings(text)).toThrow(why));

  it('agrees with records of equal content, in any notation', () => {
    const now = settings({ '/': page({ title: 'Home' }), '/a': page() });
    expect(areSameSettings(readSettings('{"pages":{"/":{"title":"Home"}}}'), now)).toBe(true);
    expect(areSameSettings(readSettings('{"pages":{"/":{"title":"Other"}}}'), now)).toBe(false);
  });

  it('has no description of the project if the text is empty, as the operations have none', () => {
    const cleared = settings({});
    expect(readSettings('{"description":""}').project).toEqual({ description: null });
    expect(areSameSettings(readSettings('{"description":""}'), cleared)).toBe(true);
    const project = { name: 'Shop', description: '', dependencies: {}, brandKit: null };
    const records = { project, pages: [], components: [], templates: [] } as unknown as SiteRecords;
    expect(siteSettingsOf(records)).toEqual(cleared);
  });

  it('leaves a setting of the project as it is if the file sets it to null, although it cannot be cleared', () => {
    const read = readSettings('{"name":null,"dependencies":null,"brandKit":null}');
    expect(read.project).toEqual({ brandKit: null });
    expect(areSameSettings(read, settings({}))).toBe(true);
  });

  it('has the defaults of records for what it omits', () => {
    const component = { description: null, type: 'custom', isGlobal: false };
    const template = { name: 'welcome', subject: null, description: null, variables: [] };
    const now = (edited: { page?: object; component?: object; template?: object }): SiteSettings => ({
      ...settings({ '/': page(edited.page) }),
      components: new Map([['Hero', { ...component, ...edited.component }]]),
      templates: new Map([['welcome', { ...template, ...edited.template }]]),
    });
    expect(areSameSettings(noSettings, now({}))).toBe(true);
    const edits = [{ page: { isDraft: true } }, { component: { type: 'layout' } }, { template: { name: 'Welcome' } }];
    for (const edited of edits) expect(areSameSettings(noSettings, now(edited))).toBe(false);
  });

  it('is complete only if nothing is left to be written', () => {
    const now = settings({ '/': page({ title: 'Home' }) });
    expect(areSameSettings(now, now, true)).toBe(true);
    expect(areSameSettings(noSettings, now, true)).toBe(false);
    expect(areSameSettings(settings({ '/': page({ title: 'Home' }), '/gone': page() }), now, true)).toBe(false);
  });
});

describe('settings that replace others', () => {
  it('are those of the new file, and the defaults of those that only the former has', () => {
    const from = { title: 'Former', description: 'Former', layout: null };
    expect(replacedEntry('pages', '/', from, { title: 'New', isDraft: null })).toEqual({
      title: 'New',
      description: null,
      isDraft: false,
    });
    expect(replacedEntry('pages', '/', undefined, undefined)).toEqual({});
    expect(replacedEntry('templates', 'welcome', { name: 'Former' })).toEqual({ name: 'welcome' });
  });

  it.each<readonly [string, object, SiteSettings | undefined, SiteSettings, boolean]>([
    [
      'an edit that the new file replaces',
      { title: 'Edit' },
      settings({ '/': page() }),
      settings({ '/': page() }),
      true,
    ],
    [
      'an edit that the new file resets',
      { title: 'Edit' },
      settings({ '/': page({ title: 'A' }) }),
      settings({}),
      true,
    ],
    ['an edit that neither file contains', { title: 'Edit' }, settings({}), settings({}), false],
    ['an edit before the first commit', { title: 'Edit' }, undefined, settings({}), false],
    ['an edit that the new file has', { title: 'B' }, settings({}), settings({ '/': page({ title: 'B' }) }), false],
    ['no edit', { title: 'A' }, settings({ '/': page({ title: 'A' }) }), settings({}), false],
    ['the name of a project before the first commit', {}, undefined, settings({}, { name: 'Other' }), true],
    ['the name of a project that no commit has', {}, noSettings, settings({}, { name: 'Other' }), false],
  ])('lose %s, or not', (_, edit, committed, to, loses) => {
    const from = committed ?? noSettings;
    expect(losesSettings(settings({ '/': page(edit) }), { committed, from, to })).toBe(loses);
  });
});

describe('two site.json', () => {
  const base = settings({ '/': page(), '/a': page() });
  it('are merged setting by setting', () => {
    const ours = settings({ '/': page({ title: 'Ours' }), '/a': page() }, { name: 'Renamed' });
    const theirs = settings({ '/': page({ description: 'Theirs' }), '/b': page() });
    const { settings: merged, conflicts } = mergeSettings(base, ours, theirs);
    expect(conflicts).toEqual([]);
    expect(merged).toEqual(
      settings({ '/': page({ title: 'Ours', description: 'Theirs' }), '/b': page() }, { name: 'Renamed' }),
    );
  });

  it('do not conflict where only one has an entry that is not the default', () => {
    const theirs = settings({ '/b': page({ title: 'Theirs' }) });
    const { settings: merged, conflicts } = mergeSettings(settings({}), settings({ '/b': page() }), theirs);
    expect([merged, conflicts]).toEqual([theirs, []]);
  });

  it('conflict where both changed one setting', () => {
    const ours = settings({ '/': page({ title: 'Ours' }), '/a': page() });
    const theirs = settings({ '/': page({ title: 'Theirs' }), '/a': page() });
    expect(mergeSettings(base, ours, theirs).conflicts).toEqual(["pages['/'].title"]);
  });
});
