import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inContainers, startContainer } from './container-server.js';
import { accepts, freePort, installFolder, run, startNativeServer } from './native-server.js';
import type { RealServer } from './real-server.js';

export const kafkaVersion = '4.4.0';

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${kafkaVersion}</version></dependency>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.25.5</version></dependency>
  </dependencies>
</project>
`;

const logging = `rootLogger.level = WARN
rootLogger.appenderRef.stdout.ref = STDOUT
appender.console.type = Console
appender.console.name = STDOUT
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d] %p %m (%c)%n
`;

interface Ports {
  readonly plain: number;
  readonly controller: number;
  readonly proxied: number;
  readonly proxy: number;
  readonly sasl: number;
}

/** Who may come in where credentials are asked for. */
export const kafkaCredentials = { username: 'sluice', password: 'sluice-secret' } as const;

const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
  '--add-scram',
  `${mechanism}=[name=${kafkaCredentials.username},password=${kafkaCredentials.password}]`,
]);
const users = `user_${kafkaCredentials.username}="${kafkaCredentials.password}"`;

const properties = (ports: Ports, data: string, address = '127.0.0.1'): string => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${ports.controller}
listeners=PLAINTEXT://${address}:${ports.plain},PROXIED://${address}:${ports.proxied},SASL://${address}:${ports.sasl},CONTROLLER://127.0.0.1:${ports.controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${ports.plain},PROXIED://127.0.0.1:${ports.proxy},SASL://127.0.0.1:${ports.sasl}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
listener.name.sasl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required ${users};
listener.name.sasl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs=${data}
num.network.threads=2
num.io.threads=4
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
log.cleaner.dedupe.buffer.size=16777216
initial.broker.registration.timeout.ms=30000
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
`;

/** The broker's jars, copied once out of Maven's repository. */
export async function installKafka(): Promise<string> {
  const folder = join(installFolder(), `kafka-${kafkaVersion}`);
  if (existsSync(join(folder, 'complete'))) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'pom.xml'), pom);
  const copy = ['-B', '-q', '-f', join(folder, 'pom.xml'), 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  await run('mvn', [...copy, `-DoutputDirectory=${folder}`]);
  await writeFile(join(folder, 'log4j2.properties'), logging);
  await writeFile(join(folder, 'complete'), '');
  return folder;
}

export interface KafkaServer extends RealServer {
  /** Asks for `kafkaCredentials`. */
  readonly saslUrl: string;
  /** A second door: what comes in at `port` is told to go on at `advertised`, where a test may put a proxy. */
  readonly proxied: { readonly port: number; readonly advertised: number };
  /** Where its log stands, if that can be looked into. */
  readonly logFolder?: string;
}

/** Apache Kafka in KRaft mode: one process that is broker and controller. The URL is the bootstrap server. */
export async function startKafka(data: string): Promise<KafkaServer> {
  const ports: Ports = {
    plain: await freePort(),
    controller: await freePort(),
    proxied: await freePort(),
    proxy: await freePort(),
    sasl: await freePort(),
  };
  const doors = {
    saslUrl: `127.0.0.1:${ports.sasl}`,
    proxied: { port: ports.proxied, advertised: ports.proxy },
  };
  if (inContainers()) return { ...(await kafkaContainer(ports)), ...doors };
  const jars = await installKafka();
  const settings = join(data, 'server.properties');
  const logFolder = join(data, 'log');
  await mkdir(data, { recursive: true });
  await writeFile(settings, properties(ports, logFolder));
  const java = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`];
  java.push(`-Dlog4j2.configurationFile=${jars}/log4j2.properties`);
  const id = (await run('java', [...java, 'kafka.tools.StorageTool', 'random-uuid'])).trim().split('\n').at(-1) ?? '';
  const format = ['format', '-t', id, '-c', settings, '--ignore-formatted', ...scram];
  await run('java', [...java, 'kafka.tools.StorageTool', ...format]);
  const server = await startNativeServer({
    name: 'Kafka',
    url: `127.0.0.1:${ports.plain}`,
    command: 'java',
    args: [...java, 'kafka.Kafka', settings],
    healthy: () => accepts(ports.plain),
  });
  return { ...server, ...doors, logFolder };
}

async function kafkaContainer(ports: Ports): Promise<RealServer> {
  const settings = '/tmp/server.properties';
  const scripts = '/opt/kafka/bin';
  const format = [`${scripts}/kafka-storage.sh format -t $(${scripts}/kafka-storage.sh random-uuid) -c ${settings}`];
  format.push('--ignore-formatted', ...scram.map((part) => `'${part}'`));
  return startContainer({
    service: 'kafka',
    url: `127.0.0.1:${ports.plain}`,
    ports: [ports.plain, ports.proxied, ports.sasl].map((port) => ({ host: port, container: port })),
    files: { [settings]: properties(ports, '/tmp/log', '0.0.0.0') },
    entrypoint: ['bash', '-c'],
    command: [
      `[ -e /tmp/log/meta.properties ] || ${format.join(' ')} && exec ${scripts}/kafka-server-start.sh ${settings}`,
    ],
    healthy: () => accepts(ports.plain),
  });
}
