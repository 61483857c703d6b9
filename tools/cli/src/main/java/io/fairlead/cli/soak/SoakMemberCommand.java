package io.fairlead.cli.soak;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.process.ParentLines;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.json.JsonMapper;

/** A member process of the soak: it serves one round after the other. */
@Command(name = "soak-member", hidden = true, description = "A member process of fairlead soak.")
public final class SoakMemberCommand implements Callable<Integer> {
    private static final JsonMapper JSON = JsonMapper.shared();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    /** Creates the command. */
    public SoakMemberCommand() {}

    /** A round that is being served. */
    private static final class Half {
        private final ParentLink parent = new ParentLink();
        private final Tally tally = new Tally();
        private final Thread thread;

        Half(Round round, FairleadConfig config) {
            thread =
                    Thread.ofPlatform().name("soak-" + round.scenario().label()).start(() -> serve(round, config));
        }

        private void serve(Round round, FairleadConfig config) {
            try {
                round.scenario().serve(round, config, parent, tally);
            } catch (Throwable failed) {
                tally.fault("the member's half failed: %s", failed);
                // The parent may wait for this; the result, which it asks for next, tells why.
                parent.ready("");
            }
        }

        Tally.Result end() throws InterruptedException {
            parent.end();
            thread.join(TimeUnit.SECONDS.toMillis(SoakMember.LIMIT_S / 2));
            if (thread.isAlive()) {
                tally.fault("the member's half hangs in %s", Hang.describe(thread));
            }
            return tally.result();
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        FairleadConfig settings = config.load();
        ParentLines lines = ParentLines.open();
        Half half = null;
        for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
            half = take(line.get(), half, settings);
        }
        return 0;
    }

    private static @Nullable Half take(String line, @Nullable Half half, FairleadConfig settings)
            throws InterruptedException {
        if (line.startsWith(MemberLine.BEGIN)) {
            String[] words = line.substring(MemberLine.BEGIN.length()).split(" ", 2);
            return new Half(Round.of(Long.parseLong(words[0]), Integer.parseInt(words[1])), settings);
        }
        if (half != null && line.equals(MemberLine.END)) {
            System.out.println(MemberLine.RESULT + JSON.writeValueAsString(half.end()));
            return null;
        } else if (half != null) {
            half.parent.take(line);
        }
        return half;
    }
}
