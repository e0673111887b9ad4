import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { type DnsServer, startDnsServer } from '../../support/servers/dns-server.js';
import { SiteClient } from '../../support/sites/site-client.js';

const hour = 3_600_000;

const clock = new SettableClock();
let dns: DnsServer;
let app: TestApp;
let theirKey: string;
let id: string;
let domain: string;
let count = 0;
beforeAll(async () => {
  dns = await startDnsServer();
  const environment = {
    DNS_SERVERS: dns.address,
    APP_DOMAIN: 'sites.example.net',
    BASE_URL: 'https://api.example.org:8443',
  };
  app = await startApp({ environment, replacements: [{ provide: Clock, useValue: clock }] });
  theirKey = (await otherWorkspace(app)).ownerKey;
});
afterAll(async () => {
  await app.close();
  await dns.close();
});
beforeEach(async () => {
  id = (await site()).id;
  count += 1;
  domain = `shop-${count}.example.com`;
});

const site = (body: object = {}, key?: string) => done(app, 'site/createProject', { name: 'Shop', ...body }, key);
const status = (project = id, key?: string) => done(app, 'site/getCustomDomainStatus', { id: project }, key);
const set = (customDomain = domain, project = id, key?: string) =>
  done(app, 'site/updateCustomDomain', { id: project, customDomain }, key);
const verify = (project = id, key?: string) => app.call('site/verifyCustomDomain', { id: project }, key);
const refusal = async (reply: ReturnType<typeof verify>) => {
  const { status: code, body } = await reply;
  return [code, body.code];
};
/** Sets the domain, publishes its token in DNS and verifies it. `others` are TXT records that are there already. */
async function proved(project = id, key?: string, others: readonly string[] = []) {
  const { record } = await set(domain, project, key);
  dns.says(record.name, { texts: [...others, record.value] });
  const { body } = await verify(project, key);
  expect(body).toMatchObject({ success: true, status: 'verified' });
  return record;
}
const notices = async (key?: string) => (await done(app, 'approvals/listNotices', {}, key)).notices;
const aDayLater = async () => {
  clock.set(clock.now() + 24 * hour);
  await app.app.get(DueSweeps, { strict: false }).sweep('custom-domain-watch');
};

describe('updateSubdomain', () => {
  const update = (subdomain: unknown, project = id, key?: string) =>
    app.call('site/updateSubdomain', { id: project, subdomain }, key);

  it('gives a site another address, and frees the old one', async () => {
    const before = (await site({ name: 'Old address' })).id;
    expect((await update('new-address', before)).body).toMatchObject({ id: before, subdomain: 'new-address' });
    expect((await done(app, 'site/getProject', { id: before })).subdomain).toBe('new-address');
    expect((await update('old-address')).body.subdomain).toBe('old-address');
    expect((await update('old-address')).status).toBe(200);
  });

  it('refuses one of any other site', async () => {
    await update('everybodys-own');
    const theirs = await site({}, theirKey);
    expect(await refusal(update('everybodys-own', theirs.id, theirKey))).toEqual([409, 'subdomain-taken']);
    await done(app, 'site/deleteProject', { id });
    expect((await update('everybodys-own', theirs.id, theirKey)).status).toBe(200);
  });

  it('gives one address to one of 20 simultaneous calls of two workspaces', async () => {
    const keys = Array.from({ length: 20 }, (_, n) => (n % 2 ? theirKey : undefined));
    const sites = await Promise.all(keys.map(async (key) => ({ key, id: (await site({}, key)).id })));
    const replies = await Promise.all(sites.map((one) => update('wanted-by-twenty', one.id, one.key)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  });

  it.each(['ab', 'admin', '', 7, null])('refuses the subdomain %j', async (subdomain) => {
    const { status: code, body } = await update(subdomain);
    expect([code, body.errors[0].path]).toEqual([400, 'subdomain']);
  });

  it('accepts 63 characters', async () => {
    expect((await update('s'.repeat(63))).status).toBe(200);
  });

  it('is refused for a workspace app with an explanation', async () => {
    const { id: workspaceApp } = await site({ isApp: true });
    const { status: code, body } = await update('for-an-app', workspaceApp);
    expect([code, body.code, body.detail]).toEqual([409, 'app-has-no-domain', expect.stringContaining('/app/')]);
  });

  it('requires the right to publish', async () => {
    expect(await refusal(update('no', id, (await person(app, 'viewer')).key))).toEqual([403, 'viewer-refused']);
    expect((await update('by-an-editor', id, (await person(app, 'editor')).key)).status).toBe(200);
    expect(await refusal(update('theirs-now', id, theirKey))).toEqual([404, 'site-not-found']);
  });
});

describe('a custom domain', () => {
  it('is none, pending, failed and verified, in this order', async () => {
    expect(await status()).toEqual({
      id,
      customDomain: null,
      status: 'none',
      record: null,
      problem: null,
      checkedAt: null,
      verifiedAt: null,
    });
    const pending = await set(`${domain.toUpperCase()}.`);
    expect(pending).toEqual({
      id,
      customDomain: domain,
      status: 'pending',
      record: { type: 'TXT', name: `_verify.${domain}`, value: expect.stringMatching(/^\S{20,}$/) },
      problem: null,
      checkedAt: null,
      verifiedAt: null,
    });
    expect(await status()).toEqual(pending);

    const failed = (await verify()).body;
    expect(failed).toMatchObject({ success: false, status: 'failed', problem: `_verify.${domain} has no TXT record.` });
    dns.says(`_verify.${domain}`, { texts: ['something else'] });
    expect((await verify()).body.problem).toContain('none with the expected value');

    dns.says(`_verify.${domain}`, { texts: ['something else', pending.record.value] });
    const { success, ...verified } = (await verify()).body;
    expect(success).toBe(true);
    expect(verified).toMatchObject({
      ...pending,
      status: 'verified',
      checkedAt: expect.any(String),
      verifiedAt: expect.any(String),
    });
    expect(await status()).toEqual(verified);

    expect(await done(app, 'site/removeCustomDomain', { id })).toEqual({ success: true });
    expect((await status()).status).toBe('none');
  });

  it('keeps its token when it is set again, and gets another when it is changed', async () => {
    const record = await proved();
    expect(await set()).toMatchObject({ status: 'verified', record });
    const other = await set(`www.${domain}`);
    expect(other).toMatchObject({ status: 'pending', customDomain: `www.${domain}`, verifiedAt: null });
    expect(other.record.value).not.toBe(record.value);
    expect(await set()).toMatchObject({ status: 'pending' });
  });

  it('does not change if DNS cannot tell', async () => {
    const record = await proved();
    const before = await status();
    dns.says(record.name, 'server failure');
    expect(await refusal(verify())).toEqual([503, 'dns-unavailable']);
    expect(await status()).toEqual(before);
  });

  it.each([
    ['an empty one', { customDomain: '' }, 'custom-domain-empty'],
    ['none', {}, 'custom-domain-empty'],
    ['a port', { customDomain: 'shop.example.com:8443' }, 'invalid-input'],
    ['an address', { customDomain: '192.0.2.1' }, 'invalid-input'],
    ['254 characters', { customDomain: `${'a.'.repeat(125)}abcd` }, 'invalid-input'],
    ["the service's host", { customDomain: 'API.example.org' }, 'invalid-input'],
    ['the domain of sites', { customDomain: 'sites.example.net' }, 'invalid-input'],
    ["another site's address", { customDomain: 'shop.sites.example.net.' }, 'invalid-input'],
  ])('is refused with %s, and nothing changes', async (_, body, code) => {
    const before = await set();
    expect(await refusal(app.call('site/updateCustomDomain', { id, ...body }))).toEqual([400, code]);
    expect(await status()).toEqual(before);
  });

  it('that is empty is refused with how to remove it', async () => {
    const { body } = await app.call('site/updateCustomDomain', { id, customDomain: '' });
    expect(body.detail).toContain('removeCustomDomain');
  });

  it('may have 253 characters, and names in other scripts', async () => {
    expect((await set(`${'a.'.repeat(125)}abc`)).customDomain).toHaveLength(253);
    expect((await set('bücher.example')).record.name).toBe('_verify.xn--bcher-kva.example');
  });

  it('cannot be verified or removed if there is none', async () => {
    expect(await refusal(verify())).toEqual([409, 'no-custom-domain']);
    expect(await refusal(app.call('site/removeCustomDomain', { id }))).toEqual([409, 'no-custom-domain']);
  });

  it('is not available for workspace apps', async () => {
    const { id: workspaceApp } = await site({ isApp: true });
    const body = { id: workspaceApp, customDomain: domain };
    expect(await refusal(app.call('site/updateCustomDomain', body))).toEqual([409, 'app-has-no-domain']);
  });

  it('requires the right to publish, in the workspace of the site', async () => {
    const { key } = await person(app, 'viewer');
    await set();
    expect((await status(id, key)).status).toBe('pending');
    expect(await refusal(verify(id, key))).toEqual([403, 'viewer-refused']);
    for (const operation of [
      'updateCustomDomain',
      'getCustomDomainStatus',
      'verifyCustomDomain',
      'removeCustomDomain',
    ]) {
      const body = operation === 'updateCustomDomain' ? { id, customDomain: domain } : { id };
      expect(await refusal(app.call(`site/${operation}`, body, theirKey))).toEqual([404, 'site-not-found']);
    }
  });

  it('that is verified cannot be changed or removed by a key that never deletes', async () => {
    await proved();
    const key = await keyOf(app, { kind: 'person', neverDeletes: true });
    const changed = app.call('site/updateCustomDomain', { id, customDomain: `www.${domain}` }, key);
    expect(await refusal(changed)).toEqual([403, 'key-never-deletes']);
    expect(await refusal(app.call('site/removeCustomDomain', { id }, key))).toEqual([403, 'key-never-deletes']);
  });
});

describe('a domain that several sites claim', () => {
  it('belongs to the one that verifies it last; the former one gets a notice, but not by whom', async () => {
    const mine = await proved();
    const theirs = await site({ name: 'Theirs' }, theirKey);
    await proved(theirs.id, theirKey, [mine.value]);
    expect(await status()).toMatchObject({
      status: 'failed',
      problem: `Another site proved that it owns ${domain}.`,
    });
    expect((await notices())[0]).toMatchObject({
      summary: `Another site proved that it owns ${domain}.`,
      target: { kind: 'customDomain', id, name: domain },
      undo: { available: false },
    });
    expect(await refusal(app.call('approvals/undoNotice', { id: (await notices())[0].id }))).toEqual([
      409,
      'undo-unavailable',
    ]);
    expect(
      (await notices(theirKey)).filter(({ target }: { target: { name: string } }) => target.name === domain),
    ).toEqual([]);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const events = await app.app.get(EventStore, { strict: false }).readStream(`customDomain-${workspaceId}.${id}`);
    expect(events.at(-1)).toMatchObject({
      type: 'CustomDomainLost',
      metadata: { workspaceId, actor: { kind: 'system' } },
    });
    // Both tokens are in DNS, so the site that verifies last gets the domain.
    expect((await verify()).body.status).toBe('verified');
    expect((await status(theirs.id, theirKey)).status).toBe('failed');
  });

  it('belongs to one of 10 that verify it at once', async () => {
    const sites = await Promise.all(Array.from({ length: 10 }, () => site()));
    const records = await Promise.all(sites.map((one) => set(domain, one.id)));
    dns.says(`_verify.${domain}`, { texts: records.map(({ record }) => record.value) });
    const replies = await Promise.all(sites.map((one) => verify(one.id)));
    expect(replies.map((reply) => reply.status)).toEqual(sites.map(() => 200));
    const states = await Promise.all(sites.map((one) => status(one.id)));
    expect(states.map((one) => one.status).sort()).toEqual([...Array.from({ length: 9 }, () => 'failed'), 'verified']);
  });

  it('serves its site while it is verified, and nothing before and after', async () => {
    const served = async () => (await new SiteClient(app, domain.toUpperCase()).get('/api/auth/me')).status;
    const { record } = await set();
    expect(await served()).toBe(404);
    dns.says(record.name, { texts: [record.value] });
    await verify();
    expect([await served(), (await app.send('GET', `/api/tls/ask?domain=${domain}`)).status]).toEqual([200, 200]);
    const other = (await site()).id;
    await proved(other);
    await done(app, 'site/removeCustomDomain', { id: other });
    expect([await served(), (await app.send('GET', `/api/tls/ask?domain=${domain}`)).status]).toEqual([404, 404]);
  });

  it('is free when its site is deleted', async () => {
    const { value } = await proved();
    await done(app, 'site/deleteProject', { id });
    await proved((await site()).id, undefined, [value]);
    expect((await notices()).filter(({ target }: { target: { name: string } }) => target.name === domain)).toEqual([]);
  });
});

describe('every day a domain', () => {
  it('is verified again, once', async () => {
    await proved();
    const { verifiedAt } = await status();
    const asked = () => dns.asked.filter((name) => name === `_verify.${domain}`).length;
    const before = asked();
    await app.app.get(DueSweeps, { strict: false }).sweep('custom-domain-watch');
    expect(asked()).toBe(before);
    await aDayLater();
    await app.app.get(DueSweeps, { strict: false }).sweep('custom-domain-watch');
    expect(asked()).toBe(before + 1);
    const { checkedAt, ...proof } = await status();
    expect(proof).toMatchObject({ status: 'verified', verifiedAt });
    expect(Date.parse(checkedAt) - Date.parse(verifiedAt)).toBeGreaterThanOrEqual(24 * hour);
  });

  it('that fails is lost with a notice, until somebody verifies it', async () => {
    const { name, value } = await proved();
    dns.says(name, 'no such name');
    await aDayLater();
    expect(await status()).toMatchObject({ status: 'failed', problem: `${name} has no TXT record.`, verifiedAt: null });
    expect((await notices())[0]).toMatchObject({ target: { id, name: domain }, undo: { available: false } });
    dns.says(name, { texts: [value] });
    expect((await verify()).body.status).toBe('verified');
  });

  it('is retained while no server answers, and checked again an hour later', async () => {
    const { name } = await proved();
    dns.says(name, 'server failure');
    await aDayLater();
    expect(await status()).toMatchObject({ status: 'verified', problem: expect.stringContaining('ESERVFAIL') });
    dns.says(name, 'no such name');
    await app.app.get(DueSweeps, { strict: false }).sweep('custom-domain-watch');
    expect((await status()).status).toBe('verified');
    clock.set(clock.now() + hour);
    await app.app.get(DueSweeps, { strict: false }).sweep('custom-domain-watch');
    expect((await status()).status).toBe('failed');
  });

  it('is checked once, even if several processes consider it theirs', async () => {
    await proved();
    clock.set(clock.now() + 24 * hour);
    const watch = app.app.get(DueSweeps, { strict: false });
    await Promise.all([
      watch.sweep('custom-domain-watch'),
      watch.sweep('custom-domain-watch'),
      watch.sweep('custom-domain-watch'),
    ]);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const events = await app.app.get(EventStore, { strict: false }).readStream(`customDomain-${workspaceId}.${id}`);
    expect(events.map(({ type }) => type)).toEqual(['CustomDomainSet', 'CustomDomainVerified', 'CustomDomainVerified']);
  });
});
