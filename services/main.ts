import { readConfiguration, type ServeOptions } from './settings.js';

export { doctor } from './doctor.js';
export { serve } from './serve.js';
export { listTopics, resizeTopic } from './topics.js';
export { gatewayOnly, work } from './worker.js';

/** Every setting with where its value comes from; secrets are dots. Throws configuration-invalid. */
export const describeConfiguration = (options: ServeOptions) => readConfiguration(options).fields();
