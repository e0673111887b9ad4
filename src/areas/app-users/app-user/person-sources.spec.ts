import { describe, expect, it } from '@jest/globals';
import { PersonSources } from './person-sources.api.js';

const entitlement = { key: 'member', state: 'granted', expiresAt: null, graceUntil: null } as const;

describe('the facts about a user of a site', () => {
  it('are empty without a source', async () => {
    const sources = new PersonSources();
    expect(await sources.existingRoles('ws', 'proj', ['role_1'])).toEqual([]);
    expect(await sources.entitlementsOf('ws', 'usr_1')).toEqual([]);
  });

  it('are those of each source: existing roles, in the order of their assignment, and entitlements', async () => {
    const sources = new PersonSources();
    sources.register({ existingRoles: async () => ['role_3', 'role_1'] });
    sources.register({ entitlementsOf: async (_, userId) => (userId === 'usr_1' ? [entitlement] : []) });
    expect(await sources.existingRoles('ws', 'proj', ['role_1', 'role_2', 'role_3'])).toEqual(['role_1', 'role_3']);
    expect(await sources.entitlementsOf('ws', 'usr_1')).toEqual([entitlement]);
    expect(await sources.entitlementsOf('ws', 'usr_2')).toEqual([]);
  });

  it('are unknown if a source fails: nobody is judged by half of them', async () => {
    const sources = new PersonSources();
    sources.register({ entitlementsOf: () => Promise.reject(new Error('away')) });
    await expect(sources.entitlementsOf('ws', 'usr_1')).rejects.toThrow('away');
  });
});
