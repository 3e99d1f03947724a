import type { ProcessorHealth } from './delivery/heartbeat.js';

/** A part of the process that is asked for its health. */
export interface HealthSource {
  readonly name: string;
  health(): ProcessorHealth;
}

export interface HealthReport extends ProcessorHealth {
  /** The parts that are not well, by name. */
  readonly failing: readonly string[];
}

/** The health of a process: live and ready when all of its parts are. Remote servers have no say in it. */
export function healthOf(sources: readonly HealthSource[]): HealthReport {
  const states = sources.map((source) => ({ name: source.name, ...source.health() }));
  return {
    live: states.every(({ live }) => live),
    ready: states.every(({ live, ready }) => live && ready),
    failing: states.filter(({ live, ready }) => !live || !ready).map(({ name }) => name),
  };
}
