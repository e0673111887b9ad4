import { describe, expect, it } from '@jest/globals';
import { firstAnalytics } from '../analytics/analytics-settings.record.js';
import type { Project } from './project.record.js';
import { firstAuthSettings } from './settings/auth-settings.record.js';
import { firstSettings } from './settings/project-settings.record.js';
import { publishedSettingsOf, republishOf } from './update-project.api.js';

const unpublished: Project = {
  ...firstSettings,
  ...firstAuthSettings,
  ...firstAnalytics,
  workspaceId: 'ws_1',
  id: 'proj_1',
  name: 'Shop',
  description: null,
  color: '#3B82F6',
  brandKit: null,
  projectType: 'web',
  bundleIdentifier: null,
  appDisplayName: null,
  isApp: false,
  slug: null,
  subdomain: 'shop',
  linkedBaseId: 'base_1',
  aiPermissions: {},
  locked: null,
  published: null,
  passGeneration: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const published: Project = {
  ...unpublished,
  published: { at: '2026-01-02T00:00:00.000Z', settings: publishedSettingsOf(unpublished) },
};

describe('after a change of settings', () => {
  it('there is no note about publishing while the project is not published', () => {
    expect(republishOf({ ...unpublished, color: '#000000' }, { color: '#000000' })).toEqual({});
  });

  it('a published project must be published again, and the note names the changes', () => {
    const changed = { ...published, color: '#000000', dependencies: { zod: '1.0.0' } };
    expect(republishOf(changed, { color: '#000000' })).toEqual({
      needsRepublish: true,
      republishNote: expect.stringMatching(/color, dependencies/),
    });
  });

  it('it need not if the setting is back in its published state', () => {
    expect(republishOf(published, { color: '#3B82F6' })).toEqual({ needsRepublish: false });
  });

  it.each(['aiKnowledge', 'marketplaceEnabled', 'marketplaceThumbnail', 'marketplaceCover', 'marketplaceDescription'])(
    'there is no note about a change of %s, which no visitor sees',
    (name) => {
      expect(republishOf({ ...published, [name]: 'x' }, { [name]: 'x' })).toEqual({});
    },
  );
});
