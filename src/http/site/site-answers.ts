import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathnameOf } from '../../areas/sites/page/open-paths.api.js';
import { PageReaders } from '../../areas/sites/page/page-readers.api.js';
import { ServedDeployments, type SiteManifest } from '../../areas/sites/publication/served-deployments.api.js';
import { Metrics } from '../../engine/health/metrics.js';
import { SiteBuilderBusy, SiteBuildFailed } from '../../ports/offloaded/site-builder.port.js';
import { answeredEarly } from '../entrance/broken-requests.js';
import { siteRoute } from '../hosts/site-route.js';
import { refuse } from '../http.refusals.js';
import { AssetAnswers } from './asset-answers.js';
import { entryPath, MemberEntry } from './member-entry.js';
import { lead, loginOf, PageAnswers, type Visited } from './page-answers.js';
import { sendPlainPage } from './plain-page.js';
import { PlatformPages } from './platform-pages/platform-pages.js';
import { type SignInStep, signInStepAt, stepPaths } from './platform-pages/sign-in-steps.js';
import { PublicFileAnswers } from './public-file-answers.js';
import { ReadablePages } from './readable-pages.js';
import { SiteDoor, type SiteVisit } from './site-door.js';
import { SiteFacts } from './site-facts.js';
import { siteIndexOf } from './site-index.js';

const filesPath = '/files/';

@Injectable()
export class SiteAnswers {
  constructor(
    private readonly door: SiteDoor,
    private readonly deployments: ServedDeployments,
    private readonly pages: PageAnswers,
    private readonly readable: ReadablePages,
    private readonly readers: PageReaders,
    private readonly assets: AssetAnswers,
    private readonly facts: SiteFacts,
    private readonly entry: MemberEntry,
    private readonly metrics: Metrics,
    private readonly platform: PlatformPages,
    private readonly files: PublicFileAnswers,
  ) {}

  /**
   * Nest's routing would take longer than most responses of sites, so a hook responds to GET and HEAD requests without
   * a body. All other requests reach `SiteController`. Must be called after `RequestHosts.watch`.
   */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) =>
      isPlainRead(request) ? this.early(request, reply) : done(),
    );
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const visit = this.door.admittedOf(request);
    const { host, member, path } = visit;
    if (host.kind !== 'site' && (member === undefined || path === entryPath)) {
      await this.entry.answer(visit, request, reply);
      return;
    }
    if (await this.sentFile(visit, request, reply)) {
      this.metrics.siteAnswered('asset', reply.raw.statusCode, reply.elapsedTime / 1_000);
      return;
    }
    const manifest = await this.manifestOf(visit);
    if (manifest === undefined) sendPlainPage(reply, 'not-found');
    else await this.within({ visit, manifest, base: '', path }, request, reply);
    const what = path.startsWith('/_site/') ? 'asset' : 'page';
    this.metrics.siteAnswered(what, reply.statusCode, reply.elapsedTime / 1_000);
  }

  private async early(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    answeredEarly.delete(request.raw.socket);
    await this.door.admit(request);
    await this.answer(request, reply);
    return reply;
  }

  /** Serves a public file of the site. If the site is not published, its host serves no files, but its preview does. */
  private async sentFile(visit: SiteVisit, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { host, project, path, address } = visit;
    if (!path.startsWith(filesPath) || request.method === 'POST') return false;
    if (host.kind !== 'preview' && (await this.deployments.live(project)) === undefined) return false;
    return this.files.send(project, { path: path.slice(filesPath.length), address }, request, reply);
  }

  /**
   * Returns undefined if there is no live deployment.
   * @throws Refusal preview-busy, preview-not-built
   */
  private async manifestOf({ host: { kind }, project }: SiteVisit): Promise<SiteManifest | undefined> {
    if (kind !== 'preview') return this.deployments.live(project);
    try {
      return await this.deployments.preview(project);
    } catch (error) {
      if (error instanceof SiteBuilderBusy) return refuse('preview-busy', undefined, { retryAfterSeconds: 5 });
      if (!(error instanceof SiteBuildFailed)) throw error;
      const place = [error.file, error.line].filter((part) => part !== undefined).join(':');
      return refuse('preview-not-built', { why: place === '' ? error.message : `${place}: ${error.message}` });
    }
  }

  /**
   * Returns undefined if sign-in is switched off, or if a page of the site replaces the platform's at this path. A page
   * that this visitor may not read does not: they would be redirected here to sign in, again and again. If they are
   * signed in, it does, and they are refused there: the platform's page would lead them away, perhaps back here.
   */
  private async freeStep({ path, visit, manifest }: Visited): Promise<SignInStep | undefined> {
    const { project, reader } = visit;
    const step = signInStepAt(path, project);
    if (step === undefined || !project.authEnabled) return undefined;
    const page = siteIndexOf(manifest).routes.find(path)?.page;
    // At a path from `authPaths`, any page of the site replaces the platform's sign-in page. At the platform's own
    // path, only a page with exactly this path does, not a page whose path is a pattern.
    const isNamed = stepPaths[step] !== path;
    if (page === undefined || (page.path !== path && !isNamed)) return step;
    const access = await this.readers.accessTo(project, [page]);
    const leadsHere = visit.user === undefined && (isNamed || pathnameOf(loginOf(visit)) === path);
    return (leadsHere ? access.mayRead(page, reader) : access.isThere(page)) ? undefined : step;
  }

  private async within(visited: Visited, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { path, visit, manifest, base } = visited;
    const step = await this.freeStep(visited);
    if (step !== undefined && base !== '') return lead(reply, `${path}${visit.query}`);
    const platform = step && (await this.platform.answer({ ...visit, step }, request));
    if (platform) return reply.code(platform.status).headers(platform.headers).send(platform.text);
    if (request.method === 'POST') return sendPlainPage(reply, 'method-not-allowed', { Allow: 'GET, HEAD' });
    if (path === '/_site/pages') {
      const headers = { 'Cache-Control': 'private, no-store', Vary: 'Cookie' };
      return reply.headers(headers).send(await this.readable.of(visit, manifest));
    }
    const asset = /^\/_site\/([A-Za-z0-9._-]{1,200})$/.exec(path)?.[1];
    if (asset !== undefined) return this.assets.send(visited, asset, request, reply);
    const release = base === '' ? releaseIn(path) : undefined;
    if (release?.projectId === visit.project.id) {
      const released = await this.deployments.release(visit.project, release.version);
      if (released !== undefined) return this.within({ visit, manifest: released, ...release }, request, reply);
    }
    const fact = await this.facts.of(visited);
    if (fact !== undefined) return reply.headers(fact.headers).type(fact.type).send(fact.text);
    return this.pages.send(visited, reply);
  }
}

function isPlainRead({ raw: { method, url, headers } }: FastifyRequest): boolean {
  if (url !== siteRoute || (method !== 'GET' && method !== 'HEAD')) return false;
  const { 'content-length': length, 'transfer-encoding': coding, 'x-dry-run': trial } = headers;
  return length === undefined && coding === undefined && trial === undefined;
}

function releaseIn(path: string) {
  const [base = '', projectId = '', version = '', below = ''] =
    /^\/releases\/([a-z0-9_]{1,64})\/([0-9A-Za-z.+-]{1,100})(\/.*)?$/.exec(path) ?? [];
  if (base === '') return undefined;
  return { projectId, version, base: `/releases/${projectId}/${version}`, path: below || '/' };
}
