import { type Provider } from '@nestjs/common';
import { envVarOperations } from './env-var/env-var.operations.js';
import { SecretReaders } from './env-var/secret-readers.api.js';
import { SecretValues } from './env-var/secret-values.api.js';

export const secretsSlices: readonly Provider[] = [...envVarOperations, SecretReaders, SecretValues];
