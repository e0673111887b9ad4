import { readMasterKey } from '../../src/adapters/vault/embedded/master-key.js';
import { readEnvironment, roles } from '../../src/config/environment.js';
import { compose, serviceNamed, settingsOf } from './compose-file.js';
import { textOf } from './dockerfile.js';
import { knownSettings } from './known-settings.js';

const given = { MASTER_KEY: 'ab'.repeat(32), BOOTSTRAP_OWNER_KEY: 'csk_0123456789abcdef01234567' };

describe.each(['api', 'worker'])('compose.yml, the service as %s', (name) => {
  const service = serviceNamed(name);

  it('is the image that is built here', () => {
    expect(serviceNamed('api').build).toEqual({ context: '..', dockerfile: 'docker/Dockerfile' });
    expect(service.image).toBe(serviceNamed('api').image);
  });

  it('writes to a /tmp in memory and nowhere else', () => {
    expect(service.read_only).toBe(true);
    expect(service.volumes).toBeUndefined();
    expect(service.tmpfs).toEqual([expect.stringMatching(/^\/tmp:(?=.*size=)(?=.*noexec)(?=.*nosuid)(?=.*nodev)/)]);
    expect(settingsOf(name, given)['DATA_DIR']).toMatch(/^\/tmp\//);
  });

  it('has enough time at a stop to finish its work', () => {
    expect(service.stop_grace_period).toBe('30s');
  });

  it('uses only existing settings, with valid values', () => {
    const settings = settingsOf(name, given);
    expect(Object.keys(settings).filter((key) => !knownSettings.includes(key))).toEqual([]);
    const read = readEnvironment(settings);
    expect(read).toMatchObject({ host: '0.0.0.0', port: 3000, bootstrapOwnerKey: given.BOOTSTRAP_OWNER_KEY });
    expect(read.masterKey).toBe(given.MASTER_KEY);
  });

  it('finds each engine by its service name, on a common network', () => {
    const settings = settingsOf(name, given);
    const hosts = ['EVENTSTOREDB_URL', 'MONGODB_URL', 'KAFKA_BROKERS'].map(
      (key) => /^(?:\w+:\/\/)?([a-z]+):\d+/.exec(settings[key] ?? '')?.[1] ?? key,
    );
    expect(hosts).toEqual(['eventstore', 'mongodb', 'kafka']);
    expect(Object.keys(service.depends_on ?? {})).toEqual(hosts);
    for (const host of hosts)
      expect(service.networks).toEqual(expect.arrayContaining([...(serviceNamed(host).networks ?? [])]));
  });

  it.each(['MASTER_KEY', 'BOOTSTRAP_OWNER_KEY'])(
    'is not started without %s, and the error explains how to generate one',
    (key) => {
      expect(() => settingsOf(name, { ...given, [key]: '' })).toThrow(
        new RegExp(`^required variable ${key} is missing a value: make one with openssl rand -hex \\d+ `),
      );
    },
  );
});

describe('compose.yml, mail', () => {
  it('arrives at the one service whose ports are published, on the address that they lead to', () => {
    const { roles: taken, mailIn } = readEnvironment(settingsOf('api', given));
    expect(taken).toContain('mail-in');
    expect(mailIn).toMatchObject({ host: '0.0.0.0', port: 2525 });
    expect(serviceNamed('api').ports).toContain('127.0.0.1:2525:2525');
    expect(textOf('EXPOSE').split(' ')).toContain('2525');
  });

  it('has one domain, whichever service makes a mailhook', () => {
    const domains = (more: object) =>
      ['api', 'worker'].map((name) => readEnvironment(settingsOf(name, { ...given, ...more })).mailIn.domain);
    expect(domains({})).toEqual(['mail.localhost', 'mail.localhost']);
    expect(domains({ MAILHOOK_DOMAIN: 'in.example.com' })).toEqual(['in.example.com', 'in.example.com']);
  });

  it.each(['api', 'worker'])(
    'of a mailbox may be sent without %s to the mail catcher, which has no TLS and no public address',
    (name) => {
      const { smtpPlaintextAllow, egressAllow } = readEnvironment(settingsOf(name, given));
      expect({ smtpPlaintextAllow, egressAllow }).toEqual({
        smtpPlaintextAllow: ['mailpit'],
        egressAllow: ['mailpit'],
      });
      expect(serviceNamed(name).networks).toContain('default');
      expect(serviceNamed('mailpit')).not.toHaveProperty('networks');
      expect(serviceNamed('mailpit').environment).toMatchObject({
        MP_SMTP_AUTH_ACCEPT_ANY: 'true',
        MP_SMTP_AUTH_ALLOW_INSECURE: 'true',
      });
    },
  );
});

describe.each(['api', 'worker'])('compose.yml, the language model of %s', (name) => {
  it('is unset until the operator names one', () => {
    expect(readEnvironment(settingsOf(name, given)).assistant).toBeUndefined();
    const named = { ASSISTANT_URL: 'http://model:8080/v1', ASSISTANT_MODEL: 'm', ASSISTANT_KEY: 'k' };
    expect(readEnvironment(settingsOf(name, { ...given, ...named })).assistant).toEqual({
      url: 'http://model:8080/v1',
      model: 'm',
      key: 'k',
    });
  });
});

describe('compose.yml, the service', () => {
  it('has every role in exactly one of its two services', () => {
    const shared = ['api', 'worker'].flatMap((name) => settingsOf(name, given)['ROLES']?.split(',') ?? []);
    expect(shared.filter((role, at) => shared.indexOf(role) !== at)).toEqual([]);
    expect(shared).toEqual(expect.arrayContaining([...roles]));
  });

  it('can have any number of workers, because they publish no ports', () => {
    const { container_name, hostname, ports } = serviceNamed('worker');
    expect({ container_name, hostname, ports }).toEqual({});
  });

  it('is built once, for the api, and never pulled from a registry', () => {
    expect(serviceNamed('worker').build).toBeUndefined();
    expect(serviceNamed('worker').pull_policy).toBe('never');
  });

  it('accepts a master key generated as the error message says', () => {
    const bytes = /openssl rand -hex (\d+)/.exec(compose.services['api']?.environment?.['MASTER_KEY'] ?? '')?.[1];
    expect(readMasterKey({ text: 'f0'.repeat(Number(bytes)), directory: '/nonexistent' })).toHaveLength(32);
  });
});
