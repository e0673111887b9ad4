import { DCLinter } from 'dclint';
import { compose, composePath, services } from './compose-file.js';

/** Declared here because TypeScript does not find the package's own types. */
interface Linted {
  readonly filePath: string;
  readonly messages: readonly { readonly line: number; readonly type: string; readonly message: string }[];
}

describe('compose.yml', () => {
  it('is valid by the Compose Specification and its linter', () => {
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });
    const results: readonly Linted[] = linter.lintFiles([composePath], false);
    expect(results.map(({ filePath }) => filePath)).toEqual([composePath]);
    const errors = results.flatMap(({ messages }) => messages.filter(({ type }) => type === 'error'));
    expect(errors.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
  });

  it('waits only for existing services, until they are healthy', () => {
    const awaited = services.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on));
    expect(awaited).not.toEqual([]);
    for (const [name, { condition }] of awaited) {
      expect(Object.keys(compose.services)).toContain(name);
      expect(condition).toBe('service_healthy');
    }
  });

  it('declares exactly the volumes and networks that are used', () => {
    const volumes = services.flatMap(([, service]) => service.volumes ?? []).map((volume) => volume.split(':')[0]);
    expect([...new Set(volumes)].sort()).toEqual(Object.keys(compose.volumes).sort());
    const networks = services.flatMap(([, service]) => service.networks ?? []).filter((name) => name !== 'default');
    expect([...new Set(networks)].sort()).toEqual(Object.keys(compose.networks).sort());
  });

  it('publishes ports on this machine only', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    expect(ports).not.toEqual([]);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([]);
  });

  it('keeps engines, which require no password, on an internal network', () => {
    expect(compose.networks['engines']).toEqual({ internal: true });
    for (const name of ['eventstore', 'mongodb', 'kafka']) {
      expect({ name, ports: compose.services[name]?.ports, networks: compose.services[name]?.networks }).toEqual({
        name,
        networks: ['engines'],
      });
    }
  });

  it('gives Kafka a valid cluster id: 16 bytes in base64url', () => {
    expect(Buffer.from(compose.services['kafka']?.environment?.['CLUSTER_ID'] ?? '', 'base64url')).toHaveLength(16);
  });
});

describe.each(services)('compose.yml, service %s', (_name, service) => {
  it('has an image with an exact tag, or one built here', () => {
    const builtHere = services.some(([, other]) => other.build !== undefined && other.image === service.image);
    expect(builtHere || /^[a-z0-9./-]+:v?\d+\.\d+\.\d+$/.test(service.image)).toBe(true);
  });

  it('has a health check, and restarts when it ends', () => {
    expect(service.healthcheck?.test[0]).toMatch(/^CMD(-SHELL)?$/);
    expect(service.healthcheck?.test.slice(1).join('')).not.toBe('');
    expect(service.restart).toBe('unless-stopped');
  });

  it('has no capabilities and can gain none', () => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    const { cap_add, privileged, network_mode, pid } = service;
    expect({ cap_add, privileged, network_mode, pid }).toEqual({});
    expect(service.volumes?.filter((volume) => volume.startsWith('/') || volume.startsWith('.')) ?? []).toEqual([]);
  });

  it('has limits of memory, processes and log', () => {
    const { limits } = service.deploy?.resources ?? {};
    expect(limits?.['memory']).toMatch(/^\d+[mg]$/);
    expect(limits?.['pids']).toBeGreaterThan(0);
    expect(service.logging?.options).toEqual({ 'max-size': '10m', 'max-file': '3' });
  });
});
