import { shapeOf } from '../../../kernel/field/field.js';

const SampledUser = shapeOf('SampledUser', {
  id: { type: 'string' },
  email: { type: 'string' },
  name: { type: 'string' },
});

export const AudiencePreviewShape = shapeOf('AudiencePreview', {
  count: { type: 'integer', description: 'Users who would get the mail now.' },
  suppressed: { type: 'integer', description: 'Users beside them who would be skipped.' },
  sample: { type: 'array', items: () => SampledUser },
  partial: { type: 'boolean', description: 'true: there was no time to look at all users; there may be more.' },
});
