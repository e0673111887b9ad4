import { describe, expect, it } from '@jest/globals';
import {
  mergeSettings,
  noSettings,
  readSettings,
  type SiteSettings,
  saysTheSame,
  settingsText,
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
    const now = settings({ '/': page({ title: 'Home' }), '/a': page({ isDraft: true }) });
    expect(saysTheSame(readSettings('{"pages":{"/":{"title":"Home"}}}'), now)).toBe(true);
    expect(saysTheSame(readSettings('{"pages":{"/":{"title":"Other"}}}'), now)).toBe(false);
    expect(saysTheSame(noSettings, now)).toBe(true);
  });

  it('is complete only if nothing is left to be written', () => {
    const now = settings({ '/': page({ title: 'Home' }) });
    expect(saysTheSame(now, now, true)).toBe(true);
    expect(saysTheSame(noSettings, now, true)).toBe(false);
    expect(saysTheSame(settings({ '/': page({ title: 'Home' }), '/gone': page() }), now, true)).toBe(false);
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

  it('conflict where both changed one setting', () => {
    const ours = settings({ '/': page({ title: 'Ours' }), '/a': page() });
    const theirs = settings({ '/': page({ title: 'Theirs' }), '/a': page() });
    expect(mergeSettings(base, ours, theirs).conflicts).toEqual(["pages['/'].title"]);
  });
});
