package io.fairlead.internal.config;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKey;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.ScratchFile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The first byte chooses: a configuration file, an environment variable, or the value of a key. */
public final class ConfigHarness implements Harness {
    private static final int FILE = 0;
    private static final int VARIABLE = 1;
    private static final String CAUSE = "named by the harness";

    private final List<ConfigKey<?>> keys = ConfigLoader.knownKeys();
    private final ScratchFile file = new ScratchFile("fairlead.conf");

    @Override
    public List<byte[]> seeds() {
        return List.of(
                seed(
                        FILE,
                        "node.name = a\nmetrics { port = 9464, address = \"127.0.0.1\" }\ntransports = [tcp, shm]\n"),
                seed(FILE, "{\"connect.timeout\": \"500 ms\", endpoint.credit-bytes = 1 MiB, b = ${?HOME}}"),
                seed(FILE, "a { b = [1, {c = 2}] } // comment\na = ${a} # more\n\"q\\u0041\" += 1"),
                seed(FILE, "a=" + "[".repeat(400)),
                seed(VARIABLE, "CONNECT_TIMEOUT=2s"),
                seed(VARIABLE, "SERVICE_PORT=80"),
                seed(2, "cache-7"),
                seed(3, "tcp,shm"),
                seed(4, "require-rdma"),
                seed(5, "1.5 minutes"),
                seed(8, "65535"),
                seed(10, "1 MiB"));
    }

    private static byte[] seed(int which, String text) {
        return Input.behind(which, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void run(byte[] input) {
        Input in = new Input(input);
        int which = in.u8();
        byte[] rest = in.rest();
        String text = new String(rest, StandardCharsets.UTF_8);
        if (which == FILE) {
            // Files of the machine are not for this run.
            if (!text.contains("include")) {
                load(rest);
            }
        } else if (which == VARIABLE) {
            loadVariable(text);
        } else {
            parse(keys.get(which % keys.size()), text);
        }
    }

    private void load(byte[] content) {
        try {
            ConfigLoader.load(keys, Map.of(), file.write(content), CAUSE);
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.CONFIGURATION);
        }
    }

    private void loadVariable(String text) {
        int equals = text.indexOf('=');
        if (equals <= 0 || text.startsWith("CONFIG=")) {
            return;
        }
        try {
            ConfigLoader.load(
                    keys,
                    Map.of("FAIRLEAD_" + text.substring(0, equals), text.substring(equals + 1)),
                    file.path().resolveSibling("none"));
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.CONFIGURATION);
        }
    }

    private static <T> void parse(ConfigKey<T> key, String text) {
        T value;
        try {
            value = key.parse(text);
        } catch (IllegalArgumentException refused) {
            Expect.line(String.valueOf(refused.getMessage()));
            return;
        }
        Expect.same(value, key.parse(key.format(value)), "a value reads differently once it is written: " + key.name());
    }

    /** The library makes a tree of what it reads, and strings for each place in it; each key that is wrong is compared with all, which costs ten times as much under Jazzer. */
    @Override
    public long heapMax(byte[] input) {
        return (16 << 20) + 65_536L * input.length;
    }
}
