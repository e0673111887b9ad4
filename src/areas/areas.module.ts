import { Global, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { Dependents } from '../engine/ownership/dependents.js';
import { providersOf, recordsOf } from '../engine/records/slice.js';
import { slices } from './areas.slices.js';

const providers = providersOf(slices);

const tokenOf = (provider: Provider) => (typeof provider === 'function' ? provider : provider.provide);

@Global()
@Module({ providers: [...providers], exports: providers.map(tokenOf) })
export class AreasModule implements OnModuleInit {
  constructor(private readonly dependents: Dependents) {}

  onModuleInit(): void {
    this.dependents.check(recordsOf(slices));
  }
}
