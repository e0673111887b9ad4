import { shapeOf } from '../../../kernel/field/field.js';

const SampledUser = shapeOf('SampledUser', {
  id: { type: 'string' },
  email: { type: 'string' },
  name: { type: 'string' },
});

export const AudiencePreviewShape = shapeOf('AudiencePreview', {
  count: { type: 'integer', description: 'Number of users who would receive the mail now.' },
  suppressed: {
    type: 'integer',
    description: 'Number of other users in the audience who would be skipped because their address is suppressed.',
  },
  sample: { type: 'array', items: () => SampledUser },
  partial: {
    type: 'boolean',
    description:
      'Whether the numbers are incomplete, because the time limit was reached before all users were examined.',
  },
});
