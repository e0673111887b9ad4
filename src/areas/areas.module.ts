import { Global, Module, type Provider } from '@nestjs/common';
import { providersOf } from '../engine/records/slice.js';
import { slices } from './areas.slices.js';

const providers = providersOf(slices);

const tokenOf = (provider: Provider) => (typeof provider === 'function' ? provider : provider.provide);

/** What the areas provide, for one another and for everything around them. */
@Global()
@Module({ providers: [...providers], exports: providers.map(tokenOf) })
export class AreasModule {}
