package io.fairlead.benchmarks.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.cli.process.JavaCommand;
import io.fairlead.config.ConfigKeys;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code roce-test --suite grpc} runs over RDMA, over TCP. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GrpcPeerTest {
    @Test
    void shouldExchangeUnaryCallsAndAStreamBetweenTwoProcesses() throws Exception {
        Process serving = new ProcessBuilder(JavaCommand.measured(List.of(), GrpcPeer.class, List.of("serve")))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = serving.inputReader()) {
            String line = said.readLine();
            assertTrue(line.startsWith("grpc-peer: serves at "), line);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            GrpcPeer.ask(
                    FairleadConfig.defaults().with(ConfigKeys.POLICY, PathPolicy.TCP_ONLY),
                    line.substring(line.lastIndexOf(' ') + 1),
                    new PrintStream(out, true, StandardCharsets.UTF_8));
            List<String> told = out.toString(StandardCharsets.UTF_8).lines().toList();
            assertTrue(told.getFirst().startsWith("grpc-peer: path tcp over "), told::toString);
            assertEquals(
                    List.of(
                            "grpc-peer: unary calls answered, all intact: 200",
                            "grpc-peer: messages of a stream answered, all intact: 100"),
                    told.subList(1, told.size()));
            serving.outputWriter().close();
            assertTrue(serving.waitFor(60, TimeUnit.SECONDS), "the serving process does not end");
            assertEquals(0, serving.exitValue());
        } finally {
            serving.destroyForcibly();
        }
    }
}
