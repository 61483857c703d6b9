package io.fairlead.system.trust;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What the nodes of this process log while this is open, each line with its node. */
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private record Line(String node, String text) {}

    private final List<Line> lines = new CopyOnWriteArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.fairlead");
    private final Level levelBefore = logger.getLevel();

    LogLines() {
        logger.setLevel(Level.WARN);
        start();
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(new Line(event.getMDCPropertyMap().getOrDefault("node", ""), event.getFormattedMessage()));
    }

    /** Whether a node has logged a line with a text in it. */
    boolean has(String node, String text) {
        return count(node, text) > 0;
    }

    /** How many lines with a text in them a node has logged. */
    long count(String node, String text) {
        return lines.stream()
                .filter(line -> line.node().equals(node) && line.text().contains(text))
                .count();
    }

    /** All lines, for the message of a failure. */
    @Override
    public String toString() {
        return String.valueOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(levelBefore);
    }
}
