import { Injectable } from '@nestjs/common';
import { RecordingQuota } from '../../../../engine/quotas/recording-quota.js';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { Blobs } from '../../../../ports/blobs.port.js';
import type { RunFile } from '../../ctx/run-files.api.js';
import type { RunRequest } from '../run-request.api.js';

interface WhichRun {
  readonly workspaceId: string;
  readonly runId: string;
}

const kind = 'delivered-file';
const folderOf = ({ workspaceId, runId }: WhichRun): string => `${kind}/${workspaceId}/${runId}`;

const fileIdForm = /^run_[0-9a-z]{1,60}\.\d{1,4}$/;

/**
 * Each run has its own encrypted copies of the files that its webhook received, stored before the run is recorded and
 * deleted with its input. A replay does not depend on the first run's files.
 */
@Injectable()
export class DeliveredFiles {
  constructor(
    private readonly blobs: Blobs,
    private readonly quota: RecordingQuota,
  ) {}

  /** `runId` is the run for which the webhook received the file. A replay's copy of the file has the same id. */
  static idOf(runId: string, index: number): string {
    return `${runId}.${index}`;
  }

  /**
   * Resolves when the files are durable. Idempotent.
   * @throws BlobsUnavailable; Refusal files-quota
   */
  async storeAll(
    run: WhichRun,
    files: readonly { readonly fileId: string; readonly bytes: Uint8Array }[],
  ): Promise<void> {
    if (files.length > 0) await this.quota.mustHaveRoom(run, 'files');
    for (const { fileId, bytes } of files) {
      await this.blobs.put(`${folderOf(run)}/${fileId}`, bytes);
      this.quota.count(run, 'files', bytes.length);
    }
  }

  /**
   * Resolves to false if one of the files was deleted.
   * @throws BlobsUnavailable
   */
  async copy(from: WhichRun, to: WhichRun, params: JsonObject): Promise<boolean> {
    for (const { fileId } of filesIn(params)) {
      const bytes = await this.blobs.open(`${folderOf(from)}/${fileId}`);
      if (bytes === undefined) return false;
      await this.storeAll(to, [{ fileId, bytes }]);
    }
    return true;
  }

  async open(request: RunRequest, fileId: string): Promise<RunFile | undefined> {
    const file = filesIn(request.params).find((one) => one.fileId === fileId);
    const bytes = file && (await this.blobs.open(`${folderOf(request)}/${fileId}`));
    return bytes && { name: file.name, contentType: file.contentType, bytes };
  }

  /**
   * Idempotent.
   * @throws BlobsUnavailable
   */
  async destroy(run: WhichRun): Promise<void> {
    await this.blobs.destroyAll(folderOf(run));
  }

  /**
   * Deletes files stored earlier than `before`, in milliseconds since 1970. They belong to failed runs past retention
   * and to calls that a crash interrupted.
   */
  async sweep(before: number): Promise<void> {
    await this.blobs.destroyAll(kind, { before });
  }
}

interface NamedFile {
  readonly fileId: string;
  readonly name: string;
  readonly contentType: string;
}

/** A sender's JSON can name any file, so callers must look the files up only among the run's own files. */
function filesIn(params: JsonObject): readonly NamedFile[] {
  return Object.values(params)
    .flatMap((value): readonly (Json | undefined)[] => (isJsonArray(value) ? value : [value]))
    .filter(isJsonObject)
    .filter(isNamedFile);
}

function isNamedFile(value: JsonObject): value is JsonObject & NamedFile {
  const { fileId, name, contentType } = value;
  return (
    typeof fileId === 'string' && fileIdForm.test(fileId) && typeof name === 'string' && typeof contentType === 'string'
  );
}
