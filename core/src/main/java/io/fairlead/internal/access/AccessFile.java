package io.fairlead.internal.access;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.FairleadException;
import io.fairlead.PeerIdentity;
import io.fairlead.internal.files.FileWatch;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of a file, which are read again after each change. If the file becomes unreadable or malformed, the rules
 * stay as they were and a warning is logged.
 */
final class AccessFile implements Authorizer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessFile.class);

    private final Path file;
    private final Runnable changed;
    private final FileWatch watch;
    private volatile AccessRules rules;
    private String problem = "";

    private AccessFile(Path file, Runnable changed) {
        this.file = file;
        this.changed = changed;
        this.watch = new FileWatch(List.of(file));
        this.rules = AccessFileParser.read(file);
    }

    /**
     * Reads a file and watches it.
     *
     * @param changed called on another thread when other rules are in force
     * @throws FairleadException {@code CONFIGURATION} with one line
     */
    static AccessFile open(Path file, Duration interval, Runnable changed) {
        AccessFile opened = new AccessFile(file, changed);
        opened.watch.start("fairlead-acl", interval, opened::look);
        return opened;
    }

    /** Reads the file again if it may have changed. */
    synchronized void look() {
        if (!watch.mayHaveChanged()) {
            return;
        }
        AccessRules before = rules;
        try {
            AccessRules read = AccessFileParser.read(file);
            if (watch.isClosed()) {
                return;
            }
            rules = read;
            problem = "";
        } catch (FairleadException broken) {
            warn(String.valueOf(broken.getMessage()));
            return;
        }
        if (!rules.isSame(before)) {
            LOG.info("other rules are in force: file={}", file);
            changed.run();
        }
    }

    /** Logs each problem once, not at each check. */
    private void warn(String what) {
        if (!what.equals(problem)) {
            problem = what;
            LOG.warn("kept the rules as they were; {}", what);
        }
    }

    @Override
    public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
        return rules.connect(peer, source);
    }

    @Override
    public Verdict listener(PeerIdentity peer, InetSocketAddress address) {
        return rules.listener(peer, address);
    }

    @Override
    public Verdict messages(PeerIdentity peer) {
        return rules.messages(peer);
    }

    @Override
    public Verdict request(PeerIdentity peer, long service) {
        return rules.request(peer, service);
    }

    @Override
    public Verdict publish(PeerIdentity peer, String topic) {
        return rules.publish(peer, topic);
    }

    @Override
    public Verdict subscribe(PeerIdentity peer, String topic) {
        return rules.subscribe(peer, topic);
    }

    @Override
    public Set<AccessRight> region(PeerIdentity peer, String label) {
        return rules.region(peer, label);
    }

    @Override
    public void close() {
        watch.close();
    }
}
