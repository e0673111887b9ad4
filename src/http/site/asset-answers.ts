import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type PageReader, PageReaders } from '../../areas/sites/page/page-readers.api.js';
import {
  AssetGone,
  type ByteRange,
  ServedDeployments,
  type SiteManifest,
} from '../../areas/sites/publication/served-deployments.api.js';
import type { SiteAsset } from '../../ports/offloaded/site-builder.port.js';
import type { Pace } from '../entrance/pace.js';
import { FileTransfers, responseEnd } from '../files/file-transfers.js';
import { type AssetReply, assetReplyFor } from './asset-request.js';
import type { Visited } from './page-answers.js';
import { sendPlainPage } from './plain-page.js';
import { listed, ReadyAnswers } from './ready-answers.js';
import type { SiteVisit } from './site-door.js';
import { siteIndexOf } from './site-index.js';

/**
 * Cache-Control of assets that anyone may load. They never change, because their names contain a hash of the content.
 */
const immutable = 'public, max-age=31536000, immutable';
/** Cache-Control of all other assets. Only the browser itself may store them, and it must ask again before each use. */
const revalidated = 'private, no-cache';

interface FoundAsset {
  readonly asset: SiteAsset;
  readonly access: Access;
  readonly judge: (reader: PageReader) => Access | undefined;
}

type Access = 'open' | 'own';

/** A reader may load an asset if they may read one of the pages that need it. */
@Injectable()
export class AssetAnswers {
  constructor(
    private readonly readers: PageReaders,
    private readonly deployments: ServedDeployments,
    private readonly transfers: FileTransfers,
    private readonly ready: ReadyAnswers,
  ) {}

  async send(visited: Visited, name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { visit, manifest } = visited;
    const current = await this.findIn(manifest, name, visit);
    const found = current ?? (await this.findEarlier(visited, name));
    if (found === undefined) return sendPlainPage(reply, 'not-found');
    const requested = assetReplyFor(found.asset, request.headers);
    if (found === current && requested.status === 200) this.cacheReply(visit, found, requested, request);
    return this.sendBytes(visit, found, requested, reply);
  }

  private cacheReply(visit: SiteVisit, { asset, judge }: FoundAsset, requested: Bytes, { raw }: FastifyRequest): void {
    const headers = headersOf(asset, requested, undefined);
    const [open, own] = [listed({ ...cachingOf.open, ...headers }), listed({ ...cachingOf.own, ...headers })];
    this.ready.remember(raw, visit, {
      what: 'asset',
      weight: 2_000,
      send: (reader) => {
        const access = judge(reader);
        const body = access && this.deployments.cachedBytes(visit.project, asset, requested.form);
        if (body?.length !== requested.size) return undefined;
        return { headers: access === 'open' ? open : own, body };
      },
    });
  }

  /** Tries deployments that were live before, newest first, until one allows this reader to load the asset. */
  private async findEarlier({ visit, base }: Visited, name: string): Promise<FoundAsset | undefined> {
    if (base !== '' || visit.host.kind === 'preview') return undefined;
    for await (const earlier of this.deployments.earlier(visit.project, name)) {
      const one = await this.findIn(earlier, name, visit);
      if (one !== undefined) return one;
    }
    return undefined;
  }

  private async findIn(manifest: SiteManifest, name: string, visit: SiteVisit): Promise<FoundAsset | undefined> {
    const asset = siteIndexOf(manifest).assets.get(name);
    if (asset === undefined) return undefined;
    const judge = await this.judgeOf(manifest, asset, visit);
    const access = judge(visit.reader);
    return access && { asset, access, judge };
  }

  private async judgeOf(
    manifest: SiteManifest,
    { pages }: SiteAsset,
    { project }: SiteVisit,
  ): Promise<FoundAsset['judge']> {
    if (pages === 'all') return () => 'open';
    const byId = siteIndexOf(manifest).pages;
    const needing = pages.flatMap((id) => byId.get(id) ?? []);
    const access = await this.readers.accessTo(project, needing);
    return (reader) => {
      const { now, person } = reader.visitor;
      const anybody = { visitor: { now, throughSite: true }, isOwner: false };
      if (needing.some((page) => access.mayRead(page, anybody))) return 'open';
      if (person === undefined && !reader.isOwner) return undefined;
      return needing.some((page) => access.mayRead(page, reader)) ? 'own' : undefined;
    };
  }

  private async sendBytes(
    visit: SiteVisit,
    found: FoundAsset,
    requested: AssetReply,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { asset, access } = found;
    if (requested.status === 416) {
      return reply.code(416).header('Content-Range', `bytes */${requested.size}`).type('text/plain').send('');
    }
    const { status, etag, size } = requested;
    if (status === 304)
      return reply
        .code(304)
        .headers({ ...cachingOf[access], ETag: etag })
        .send();
    const range = requested.status === 206 ? requested.range : undefined;
    const headers = { ...cachingOf[access], ...headersOf(asset, requested, range) };
    const begin = () => reply.code(status).headers(headers);
    const whole = (bytes: Uint8Array) => begin().send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const cached = range === undefined ? this.deployments.cachedBytes(visit.project, asset, requested.form) : undefined;
    if (cached?.length === size) return whole(cached);
    const pieces = this.deployments.bytes(visit.project, asset, requested.form, range)[Symbol.asyncIterator]();
    // The first piece is read before the response begins, so that a failure can still be sent as an error.
    const first = await pieces.next().catch((error: unknown) => {
      if (requested.form === 'plain' || !(error instanceof AssetGone)) throw error;
      return undefined;
    });
    if (first === undefined) return this.sendBytes(visit, found, assetReplyFor(asset, {}), reply);
    const bytes = first.done ? new Uint8Array() : first.value;
    if (bytes.length === size) return whole(bytes);
    const { project, address } = visit;
    const { raw } = reply;
    const tooSlow = () => raw.destroy();
    return this.transfers.during('download', [project.workspaceId, project.id, address], tooSlow, async ({ pace }) => {
      begin().send(Readable.from(inTurn(bytes, pieces, pace), { objectMode: false, highWaterMark: 64 * 1024 }));
      await responseEnd(raw);
      return reply;
    });
  }
}

const cachingOf: Readonly<Record<FoundAsset['access'], Record<string, string>>> = {
  open: { 'Cache-Control': immutable, Vary: 'Accept-Encoding' },
  own: {
    'Cache-Control': revalidated,
    Vary: 'Cookie, Accept-Encoding',
    'Cross-Origin-Resource-Policy': 'same-origin',
  },
};

type Bytes = Exclude<AssetReply, { readonly status: 416 }>;

function headersOf(
  asset: SiteAsset,
  { form, etag, size }: Bytes,
  range: ByteRange | undefined,
): Record<string, string> {
  return {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Content-Length': String(size),
    'Content-Type': asset.type,
    ...(form === 'plain' ? {} : { 'Content-Encoding': form === 'brotli' ? 'br' : form }),
    ...(range === undefined ? {} : { 'Content-Range': `bytes ${range.from}-${range.to}/${asset.size}` }),
  };
}

async function* inTurn(
  first: Uint8Array,
  others: AsyncIterator<Uint8Array>,
  pace: Pick<Pace, 'moved'>,
): AsyncGenerator<Uint8Array> {
  yield first;
  pace.moved(first.length);
  for (let next = await others.next(); !next.done; next = await others.next()) {
    yield next.value;
    pace.moved(next.value.length);
  }
}
