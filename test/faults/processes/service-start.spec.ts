// Second tier.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { startMongoServer } from '../../support/mongodb/start-mongo-server.js';
import { runServiceProcess, startServiceProcess } from '../../support/service-process.js';

/** Needs a build, because it starts the service as a process. */
describe('service, a start that is refused', () => {
  let directory: EmbeddedDirectory;
  beforeEach(() => {
    directory = new EmbeddedDirectory();
  });
  afterEach(() => directory.remove());

  const sentence = /^Countersign did not start: [^\n]+\.\n$/;

  it.each([
    ['PORT', 'abc'],
    ['MASTER_KEY', 'short'],
    ['EVENT_STORE', 'other'],
    ['READ_STORE', 'other'],
    ['MESSAGES', 'other'],
    ['BOOTSTRAP_OWNER_KEY', 'short'],
    ['LOG_LEVEL', 'loud'],
    ['ROLES', 'cook'],
    ['BASE_URL', 'nowhere'],
    ['BASE_URL', 'https://example.org/?tenant=1'],
    ['BASE_URL', 'https://example.org/#start'],
    ['BASE_URL', 'https://ada:lovelace@example.org'],
    ['SANDBOX_MEMORY_MB', '1'],
    ['RUN_RETENTION_DAYS', '0'],
    ['EGRESS_ALLOW', '*.example.org'],
    ['SMTP_PLAINTEXT_ALLOW', '*.example.org'],
    ['ASSISTANT_URL', 'nowhere'],
  ])(
    'names %s if it is %s, and exits with 1',
    async (name, value) => {
      const { code, output } = await runServiceProcess({ dataDir: directory.path, environment: { [name]: value } });
      expect(output).toMatch(sentence);
      expect(output).toContain(name);
      expect(code).toBe(1);
    },
    30_000,
  );

  it('requires the master key if the vault is shared, and generates none', async () => {
    const environment = { READ_STORE: 'mongodb', MONGODB_URL: 'mongodb://127.0.0.1:1/?replicaSet=rs0' };
    const { code, output } = await runServiceProcess({ dataDir: directory.path, environment });
    expect(output).toMatch(sentence);
    expect(output).toContain('MASTER_KEY');
    expect(code).toBe(1);
    expect(existsSync(join(directory.path, 'master.key'))).toBe(false);
  }, 30_000);

  it('reports that MONGODB_URL names another replica set than that of its servers', async () => {
    const server = await startMongoServer();
    const environment = {
      READ_STORE: 'mongodb',
      MONGODB_URL: server.url.replace('rs0', 'rs1'),
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const { code, output } = await runServiceProcess({ dataDir: directory.path, environment });
    expect(output).toContain('none of them belongs to the replica set that its option replicaSet names');
    expect(output).not.toContain('does not answer');
    expect(code).toBe(1);
    await server.close();
  }, 60_000);

  it('reports that another service has the data directory, and does not affect it', async () => {
    const first = await startServiceProcess({ dataDir: directory.path });
    try {
      const second = await runServiceProcess({ dataDir: directory.path });
      expect(second.output).toMatch(sentence);
      expect(second.output).toContain('is running on this data directory');
      expect(second.code).toBe(1);
      expect((await first.call('workspace/getWorkspace')).status).toBe(200);
    } finally {
      await first.end('SIGKILL');
    }
  });

  it('reports that the port is in use', async () => {
    const first = await startServiceProcess({ dataDir: directory.path });
    const other = new EmbeddedDirectory();
    try {
      const environment = { PORT: new URL(first.url).port };
      const second = await runServiceProcess({ dataDir: other.path, environment });
      expect(second.output).toMatch(sentence);
      expect(second.output).toContain('PORT');
      expect(second.code).toBe(1);
    } finally {
      await first.end('SIGKILL');
      other.remove();
    }
  });
});
