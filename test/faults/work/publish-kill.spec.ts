import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EventStore, EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type Reply, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';
import { SiteClient } from '../../support/sites/site-client.js';

/** Enough pages that every stage lasts long enough to be observed. */
const pages = 8;
const pageOf = (version: number) =>
  `export default function Page() { return <main className="p-[${version}px]">version ${version}</main>; }`;

interface Service {
  readonly url: string;
  readonly call: (operation: string, body?: object) => Promise<Reply>;
}

/** A site as its author and its visitors see it across restarts of the service. */
class KilledSite {
  private constructor(
    private readonly at: () => Service,
    private readonly id: string,
    private readonly host: string,
    private readonly home: string,
  ) {}

  static async create(at: () => Service, more = 0): Promise<KilledSite> {
    const { id } = (await at().call('site/createProject', { name: 'Shop' })).body;
    for (let index = 0; index < more; index += 1) {
      const page = { name: `Page ${index}`, path: `/page-${index}`, content: pageOf(100 + index) };
      await at().call('site/createPage', { projectId: id, ...page });
    }
    const { body } = await at().call('site/getProject', { id });
    const site = new KilledSite(at, id, `${body.subdomain}.localhost`, body.pages[0].id);
    await site.save(1);
    await site.start();
    expect(await site.ended()).toBeNull();
    return site;
  }

  save = (version: number) => this.at().call('site/updatePage', { id: this.home, content: pageOf(version) });
  start = () => this.at().call('site/publish', { id: this.id });
  status = async () => (await this.at().call('site/getPublishStatus', { projectId: this.id })).body;
  project = async () => (await this.at().call('site/getProject', { id: this.id })).body;
  deployments = async () => (await this.at().call('site/listDeployments', { projectId: this.id })).body;
  rollBack = (deploymentId: string) => this.at().call('site/rollBackPublish', { projectId: this.id, deploymentId });

  /** Waits for the end of the publish. Returns null, or the status of a failed publish. */
  ended = () => eventually(this.status, (now) => now === null || now.stage === 'failed', 40_000);

  /** The version that a visitor sees, in the page, its script and its style sheet. */
  async seen(): Promise<number> {
    const visitor = new SiteClient(this.at(), this.host);
    const { text } = await visitor.get('/');
    const script = /"script":"([^"]*)"/.exec(text)?.[1];
    const styles = /<link rel="stylesheet" href="([^"]*)"/.exec(text)?.[1] ?? '';
    const [code, sheet] = [await visitor.get(`/_site/${script}`), await visitor.get(styles)];
    const versions = [
      /version (\d+)/.exec(text),
      /version (\d+)/.exec(code.text),
      /padding:\s*(\d+)px/.exec(sheet.text),
    ];
    const [version = '', ...others] = versions.map((found) => found?.[1]);
    expect(others).toEqual([version, version]);
    return Number(version);
  }
}

/** The process and all its descendants. */
function startedBy(pid: number | undefined): readonly number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+ \(.*\) \w (\d+)/.exec(statOf(name))?.[1];
    return parent === undefined ? [] : [[Number(name), Number(parent)] as const];
  });
  const found = new Set([pid]);
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.add(child);
  return [...found].flatMap((one) => (one === undefined || one === pid ? [] : [one]));
}

const isThere = (pid: number) => !['', 'Z'].includes(/\) (\w)/.exec(statOf(`${pid}`))?.[1] ?? '');

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

/** Needs a build, because it starts the service as a process. */
describe('a service that is killed while a site is published', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  let site: KilledSite;
  const start = async () => {
    service = await startServiceProcess({ dataDir: directory.path });
  };
  beforeAll(async () => {
    directory = new EmbeddedDirectory();
    await start();
    site = await KilledSite.create(() => service, pages);
  }, 30_000);
  afterAll(async () => {
    await service.end('SIGKILL');
    directory.remove();
  });

  /** A publish that is lost five times is given up, so at most four stages are killed. */
  it.each([
    [2, ['queued']],
    [3, ['checking', 'bundling', 'styling', 'deploying']],
  ])(
    'shows the complete old site until version %i is live, although it is killed at each of %j',
    async (version, stages) => {
      await site.save(version);
      await site.start();
      for (const stage of stages) {
        // The stage `queued` is too short to be observed.
        for (let now = await site.status(); stage !== 'queued' && now?.stage !== stage; now = await site.status()) {
          if (now === null) throw new Error(`The publish was over before the stage ${stage} was seen.`);
        }
        const helpers = startedBy(service.pid);
        await service.end('SIGKILL');
        await start();
        expect([version - 1, version]).toContain(await site.seen());
        await eventually(
          async () => helpers.filter(isThere),
          (left) => left.length === 0,
        );
      }
      expect([await site.ended(), await site.seen()]).toEqual([null, version]);
      const statuses = (await site.deployments()).map(({ status }: { readonly status: string }) => status);
      expect(statuses).toEqual(['live', ...Array.from({ length: version - 1 }, () => 'ready')]);
    },
    120_000,
  );
});

describe('a process that dies when an event of a publish is recorded', () => {
  let app: TestApp;
  let site: KilledSite;
  let version = 1;
  beforeAll(async () => {
    app = await startApp();
    const at: Service = {
      get url() {
        return app.url;
      },
      call: (operation, body) => app.call(operation, body),
    };
    site = await KilledSite.create(() => at);
  }, 30_000);
  afterAll(() => app.close());

  type Death = 'before' | 'after' | 'half';

  /**
   * From the event on, the process can no longer reach the log. `half` records all but the last of the appends made
   * with it.
   */
  function diesAt(type: string, when: Death): Promise<void> {
    const store = app.app.get(EventStore, { strict: false });
    const append = store.append.bind(store);
    const { promise, resolve } = Promise.withResolvers<void>();
    let isDead = false;
    jest.spyOn(store, 'append').mockImplementation(async (requests) => {
      if (!isDead && !requests.some(({ events }) => events.some((event) => event.type === type)))
        return append(requests);
      if (!isDead && when !== 'before') await append(when === 'half' ? requests.slice(0, -1) : requests);
      isDead = true;
      resolve();
      throw new EventStoreUnavailable('The process is dead.');
    });
    return promise;
  }

  it.each([
    ['PublishStarted', 'after'],
    ['PublishTakenOver', 'after'],
    ['SitePublished', 'before'],
    ['SitePublished', 'half'],
    ['SitePublished', 'after'],
  ] as const)('%s, %s it: the new site is live once, and the project shows it', async (type, when) => {
    const count = (await site.deployments()).length;
    await site.save(++version);
    const died = diesAt(type, when);
    const { status } = await site.start();
    expect(status).toBe(type === 'PublishStarted' ? 503 : 200);
    await died;
    app = await app.restart();
    if (!(type === 'SitePublished' && when === 'after')) expect([version - 1, version]).toContain(await site.seen());
    expect([await site.ended(), await site.seen()]).toEqual([null, version]);
    expect(await site.deployments()).toHaveLength(count + 1);
    const { isPublished } = await site.project();
    expect(isPublished).toBe(true);
  });
});
