import {
  type AppSetting,
  type AppSettingEvent,
  appSettings,
} from '../../src/areas/functions/app-setting/app-setting.record.js';
import { type EnvVar, type EnvVarEvent, envVars } from '../../src/areas/secrets/env-var/env-var.record.js';
import type { Recorded } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import {
  type Document,
  type DocumentChange,
  type On,
  projection,
  put,
  remove,
} from '../../src/kernel/record/projection.js';

/** A name is unique only within its workspace, but document ids must be unique across all workspaces. */
function documentId(stream: string): string {
  const { workspaceId, id: name } = parseStream(stream);
  return `${workspaceId}/${name}`;
}

function shown<D extends Document>(
  collection: string,
  stream: string,
  record: D | undefined,
): readonly DocumentChange[] {
  return record === undefined ? [] : [put<D>(collection, { ...record, id: documentId(stream) })];
}

/** Secrets of sites and of workspaces have the same event types, so the stream's category is checked. */
const isWorkspaces = (stream: string): boolean => parseStream(stream).category === envVars.category;

const ofEnvVars: On<Recorded<EnvVarEvent>> = {
  EnvVarSet: (event) =>
    isWorkspaces(event.stream) ? shown<EnvVar>('envVars', event.stream, envVars.begin(event)) : [],
  EnvVarDeleted: ({ stream }) => (isWorkspaces(stream) ? [remove('envVars', documentId(stream))] : []),
};

export const envVarsProjection = projection({
  name: 'envVars',
  version: 1,
  collections: { envVars: { indexes: [{ fields: ['workspaceId', 'name'] }] } },
  on: ofEnvVars,
});

const ofAppSettings: On<Recorded<AppSettingEvent>> = {
  AppSettingSet: (event) => shown<AppSetting>('appSettings', event.stream, appSettings.begin(event)),
  AppSettingRemoved: ({ stream }) => [remove('appSettings', documentId(stream))],
};

export const appSettingsProjection = projection({
  name: 'appSettings',
  version: 1,
  collections: { appSettings: { indexes: [{ fields: ['workspaceId', 'name'] }] } },
  on: ofAppSettings,
});
