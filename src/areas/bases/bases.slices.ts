import { type Slice, slice } from '../../engine/slice.js';
import { bases } from './base/base.record.js';

/** Bases, which hold the data of sites. */
export const basesSlices: readonly Slice[] = [slice(bases)];
