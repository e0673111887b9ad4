import {
  type BuildWatcher,
  type BuiltPage,
  type SiteBuild,
  SiteBuilder,
  SiteBuilderBusy,
  SiteBuildFailed,
  SiteBuildLost,
  type SiteSources,
} from '../../../ports/offloaded/site-builder.port.js';
import { FairTurns } from '../../turns/fair-turns.js';
import { type BuildAnswer, type BuildLimits, BuildProcess } from './build-process.js';
import type { LinkedPage } from './build-protocol.js';

const defaults: BuildLimits = { timeMs: 120_000, wallMs: 15 * 60_000, memoryBytes: 512 * 1024 * 1024 };
const turns = { atATime: 2, atATimeOfLine: 1, waiting: 32, waitingOfLine: 8, waitingOfYieldingLine: 0 };
/** Maximum length of all pages and components together, in characters. */
const mostSource = 50_000_000;

export class ChildProcessSiteBuilder extends SiteBuilder {
  private readonly running = new Set<BuildProcess>();
  private readonly turns = new FairTurns({
    ...turns,
    full: () => new SiteBuilderBusy('too many other builds are waiting'),
  });
  private readonly limits: BuildLimits;
  private closed = false;

  constructor(limits: Partial<BuildLimits> = {}) {
    super();
    this.limits = { ...defaults, ...limits };
  }

  override build(sources: SiteSources, watcher: BuildWatcher): Promise<SiteBuild> {
    return this.turns.take({ line: sources.workspaceId }, () => this.buildNow(sources, watcher));
  }

  override async close(): Promise<void> {
    this.closed = true;
    for (const process of this.running) process.kill();
  }

  private async buildNow(sources: SiteSources, watcher: BuildWatcher): Promise<SiteBuild> {
    if (this.closed) throw new SiteBuilderBusy('the service is stopping');
    const all = [...sources.pages, ...sources.components];
    if (all.reduce((sum, { source }) => sum + source.length, 0) > mostSource)
      throw new SiteBuildFailed(`The pages and components have more than ${mostSource / 1e6} MB together.`);
    const process = new BuildProcess(this.limits);
    this.running.add(process);
    try {
      return this.judged(await process.run(sources, watcher));
    } finally {
      this.running.delete(process);
    }
  }

  private judged(answer: BuildAnswer): SiteBuild {
    const { timeMs, wallMs, memoryBytes } = this.limits;
    switch (answer.t) {
      case 'failed':
        throw new SiteBuildFailed(answer.message, answer.file, answer.line);
      case 'late':
        throw new SiteBuildFailed(
          `The build took longer than ${timeMs / 1_000} seconds of processor time. Use fewer or smaller packages.`,
        );
      case 'stuck':
        throw new SiteBuildFailed(
          `The build did not finish within ${wallMs / 60_000} minutes. Try again when the machine is less busy.`,
        );
      case 'large': {
        const most = Math.round(memoryBytes / 1024 / 1024);
        throw new SiteBuildFailed(`The build takes more than ${most} MB of memory. Use fewer or smaller packages.`);
      }
      case 'broken':
        throw new SiteBuildLost(`the build process failed: ${answer.why}`);
      case 'gone':
        throw new SiteBuildLost('the build process ended unexpectedly');
      case 'done': {
        const { site, scripts } = answer;
        const joined = (names: readonly string[]) => names.map((name) => scripts.get(name) ?? '').join('\n');
        const pages = site.pages.map((page) => withServer(page, joined));
        return { ...site, pages, renderer: joined(site.renderer) };
      }
    }
  }
}

/**
 * Joins the scripts of a page only when `server` is read. Most scripts belong to many pages, so joining them in advance
 * would repeat their text for each page.
 */
function withServer({ server, ...page }: LinkedPage, joined: (names: readonly string[]) => string): BuiltPage {
  if (server === undefined) return page;
  return {
    ...page,
    get server() {
      return joined(server);
    },
  };
}
