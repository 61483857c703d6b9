package io.fairlead.cli.log;

import ch.qos.logback.classic.ClassicConstants;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.fairlead.cli.command.CommandLog;
import io.fairlead.cli.command.JsonErrors;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * How the command logs: to standard error, so that standard output has nothing but results, as text or as one JSON object per line. The
 * library's warnings are left out, because the command prints one line for each failure; {@code -v} shows them with the state of each
 * connection. Logback finds this class as a service. With {@code -Dlogback.configurationFile=FILE} it reads that file instead.
 *
 * <p>Logback's own file and patterns are 700 classes, which took a quarter of the time until a command was connected.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
    private static final String PATTERN = "%d{HH:mm:ss.SSS} %-5level %logger{0} [%thread] %msg%n";

    /** For the service loader. */
    public LogSetup() {}

    @Override
    public ExecutionStatus configure(LoggerContext logging) {
        if (System.getProperty(ClassicConstants.CONFIG_FILE_PROPERTY) != null) {
            return ExecutionStatus.NEUTRAL;
        }
        LateConsole console = new LateConsole();
        console.setContext(logging);
        console.start();
        ch.qos.logback.classic.Logger root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(console);
        logging.getLogger("io.fairlead").setLevel(Level.toLevel(CommandLog.level()));
        logging.getLogger(JsonErrors.LOGGER).setLevel(Level.INFO);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Loads the pattern or the JSON encoder with the first line, because most commands log none. */
    private static final class LateConsole extends AppenderBase<ILoggingEvent> {
        private @Nullable OutputStreamAppender<ILoggingEvent> console;

        @Override
        protected void append(ILoggingEvent event) {
            OutputStreamAppender<ILoggingEvent> open = console;
            if (open == null) {
                open = open(getContext());
                console = open;
            }
            open.doAppend(event);
        }

        private static OutputStreamAppender<ILoggingEvent> open(Context logging) {
            OutputStreamAppender<ILoggingEvent> console = new OutputStreamAppender<>();
            console.setContext(logging);
            console.setEncoder(encoder(logging));
            // Not System.err, whose lines may come here.
            console.setOutputStream(new FileOutputStream(FileDescriptor.err));
            console.start();
            return console;
        }

        private static Encoder<ILoggingEvent> encoder(Context logging) {
            if (CommandLog.isJson()) {
                JsonEncoder encoder = new JsonEncoder();
                encoder.setContext(logging);
                encoder.setWithContext(false);
                encoder.setWithMessage(false);
                encoder.setWithArguments(false);
                encoder.setWithFormattedMessage(true);
                encoder.start();
                return encoder;
            }
            PatternLayoutEncoder encoder = new PatternLayoutEncoder();
            encoder.setContext(logging);
            encoder.setPattern(PATTERN);
            encoder.start();
            return encoder;
        }
    }
}
