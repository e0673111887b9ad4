import { type Provider } from '@nestjs/common';
import { DeleteEnvVarHandler } from './env-var/delete-env-var.handler.js';
import { envVarHandlers } from './env-var/env-var.operations.js';
import { SecretReaders } from './env-var/secret-readers.api.js';
import { SecretValues } from './env-var/secret-values.api.js';
import { SetEnvVarHandler } from './env-var/set-env-var.handler.js';

/** Secrets, whose values no operation ever shows. */
export const secretsSlices: readonly Provider[] = [
  ...envVarHandlers,
  SetEnvVarHandler,
  DeleteEnvVarHandler,
  SecretReaders,
  SecretValues,
];
