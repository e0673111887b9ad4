import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ReadModels } from '../../../engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { Retention, type Sweep } from '../../../engine/retention/retention.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { retiredMs, type SitePublication } from './publication.record.js';
import { AssetGone, allAssets } from './site-asset-blobs.js';
import { allManifests, SiteManifests } from './site-manifests.js';

/**
 * Blobs that were stored more recently than this are not removed. Builds store assets before they record the event that
 * names them, and no build or preview takes this long.
 */
const youngMs = 24 * 3_600_000;
const pageSize = 100;
const collection = 'publications';

@Injectable()
export class SiteAssetSweep {
  readonly sweep: Sweep;
  /**
   * Keyed by workspace: a digest of its blobs and its needed manifests at the last sweep. If it is still the same,
   * nothing has to be removed.
   */
  private readonly lastSweeps = new Map<string, string>();

  constructor(
    retention: Retention,
    private readonly store: ReadStore,
    private readonly blobs: Blobs,
    private readonly manifests: SiteManifests,
    private readonly events: EventStore,
    private readonly models: ReadModels,
    private readonly readYourWrites: ReadYourWrites,
    private readonly clock: Clock,
  ) {
    this.sweep = retention.addSweep('site-asset-sweep', () => this.removeUnneeded());
  }

  private async removeUnneeded(): Promise<void> {
    const before = this.clock.now() - youngMs;
    const [manifests, assets] = [
      Map.groupBy(await this.blobs.names(allManifests, { before }), workspaceOf),
      Map.groupBy(await this.blobs.names(allAssets, { before }), workspaceOf),
    ];
    if (manifests.size + assets.size === 0 || !(await this.knowsAll())) return;
    const young = Map.groupBy(await this.blobs.names(allManifests), workspaceOf);
    const workspaces = new Set([...manifests.keys(), ...assets.keys()]);
    for (const known of this.lastSweeps.keys()) if (!workspaces.has(known)) this.lastSweeps.delete(known);
    for (const workspaceId of workspaces) {
      const old = manifests.get(workspaceId) ?? [];
      const isOld = new Set(old);
      const needed = await this.neededBy(workspaceId);
      for (const name of young.get(workspaceId) ?? []) if (!isOld.has(name)) needed.add(digestOf(name));
      const oldAssets = assets.get(workspaceId) ?? [];
      // Unchanged workspaces are skipped, because opening every manifest each hour would be too expensive with many
      // sites.
      if (this.lastSweeps.get(workspaceId) === seen(old, oldAssets, needed)) continue;
      const digests = await this.assetsOf(workspaceId, needed);
      const isNeeded = (name: string) => needed.has(digestOf(name));
      const isUsed = (name: string) => digests.has(digestOf(name));
      const unneeded = [...old.filter((name) => !isNeeded(name)), ...oldAssets.filter((name) => !isUsed(name))];
      for (const name of unneeded) await this.blobs.destroy(name, { before });
      this.lastSweeps.set(workspaceId, seen(old.filter(isNeeded), oldAssets.filter(isUsed), needed));
    }
  }

  /**
   * False if the read model is being rebuilt or lags behind. It may then lack deployments, whose assets would be
   * removed by mistake.
   */
  private async knowsAll(): Promise<boolean> {
    const head = await this.events.head();
    const model = this.models.builderOf(collection);
    if (model === undefined) return false;
    this.readYourWrites.observed(head);
    await this.readYourWrites.current(model);
    return this.readYourWrites.taken(model) >= head;
  }

  private async neededBy(workspaceId: string): Promise<Set<string>> {
    const since = new Date(this.clock.now() - retiredMs).toISOString();
    const needed = new Set<string>();
    for (let after = ''; ; ) {
      const found = await this.store.find<SitePublication>(collection, {
        where: { workspaceId, id: { gt: after } },
        sort: [['id', 'asc']],
        limit: pageSize,
      });
      for (const { deployments, retired, releases } of found) {
        for (const { manifest } of deployments) if (manifest !== null) needed.add(manifest);
        for (const { manifest, at } of retired) if (at >= since) needed.add(manifest);
        for (const { manifest } of Object.values(releases)) needed.add(manifest);
      }
      const last = found.at(-1);
      if (last === undefined || found.length < pageSize) return needed;
      after = last.id;
    }
  }

  private async assetsOf(workspaceId: string, needed: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const digests = new Set<string>();
    for (const digest of needed) {
      try {
        const { assets } = await this.manifests.glance(workspaceId, digest);
        for (const asset of assets) digests.add(asset.digest);
      } catch (error) {
        // AssetGone means that the manifest was removed since it was listed, so it needs no assets.
        if (!(error instanceof AssetGone)) throw error;
      }
    }
    return digests;
  }
}

const seen = (manifests: readonly string[], assets: readonly string[], needed: ReadonlySet<string>): string =>
  hash('sha256', JSON.stringify([manifests.toSorted(), assets.toSorted(), [...needed].sort()]), 'hex');

const workspaceOf = (blob: string): string => blob.split('/')[1] ?? '';
const digestOf = (blob: string): string => blob.split('/')[2] ?? '';
