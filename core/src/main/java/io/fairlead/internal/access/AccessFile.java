package io.fairlead.internal.access;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.FairleadException;
import io.fairlead.PeerIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of a file, which are read again when the file has changed. A thread of its own looks at the file, because a disk may keep a worker waiting. A file
 * that has become unreadable or malformed leaves the rules as they were, and a warning in the log.
 */
final class AccessFile implements Authorizer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessFile.class);

    /** What changes with a file's content. */
    private record Stamp(FileTime modified, long length) {
        /** Of a file that is not there. */
        static final Stamp NONE = new Stamp(FileTime.fromMillis(0), -1);
    }

    private final Path file;
    private final Runnable changed;
    private final Thread watcher;
    private final Object wake = new Object();
    private volatile AccessRules rules;
    private Stamp stamp;
    private boolean closed;

    private AccessFile(Path file, long intervalMs, Runnable changed) {
        this.file = file;
        this.changed = changed;
        // Taken before the file is read: a change between the two is then seen as one.
        this.stamp = stamp(file);
        this.rules = AccessFileParser.read(file);
        this.watcher = Thread.ofPlatform().daemon().name("fairlead-acl").unstarted(() -> watch(intervalMs));
    }

    /**
     * Reads a file and goes on looking at it.
     *
     * @param changed called on another thread when other rules are in force
     * @throws FairleadException {@code CONFIGURATION} with one line
     */
    static AccessFile open(Path file, long intervalMs, Runnable changed) {
        AccessFile opened = new AccessFile(file, intervalMs, changed);
        opened.watcher.start();
        return opened;
    }

    private void watch(long intervalMs) {
        while (true) {
            synchronized (wake) {
                if (closed) {
                    return;
                }
                try {
                    wake.wait(intervalMs);
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                    return;
                }
                if (closed) {
                    return;
                }
            }
            look();
        }
    }

    /** Reads the file again if it has changed. */
    synchronized void look() {
        Stamp now = stamp(file);
        if (now.equals(stamp)) {
            return;
        }
        stamp = now;
        try {
            rules = AccessFileParser.read(file);
        } catch (FairleadException broken) {
            LOG.warn("kept the rules as they were; {}", broken.getMessage());
            return;
        }
        LOG.info("other rules are in force: file={}", file);
        changed.run();
    }

    private static Stamp stamp(Path file) {
        try {
            return new Stamp(Files.getLastModifiedTime(file), Files.size(file));
        } catch (IOException notThere) {
            return Stamp.NONE;
        }
    }

    @Override
    public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
        return rules.connect(peer, source);
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
        synchronized (wake) {
            closed = true;
            wake.notifyAll();
        }
        boolean interrupted = false;
        while (true) {
            try {
                watcher.join();
                break;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
