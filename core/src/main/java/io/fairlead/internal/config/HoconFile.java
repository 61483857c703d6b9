package io.fairlead.internal.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.names.ShownText;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads files in HOCON, and reports the position of a fault. */
public final class HoconFile {
    private HoconFile() {}

    /**
     * Reads a file.
     *
     * @param file the file
     * @param what the kind of file, for failures
     * @param namedBy the source of the name, for failures
     * @return the content, with its references resolved
     * @throws FairleadException {@code CONFIGURATION} if it cannot be read or is not HOCON
     */
    public static ConfigObject read(Path file, String what, String namedBy) {
        return parse(
                readable(file, what, namedBy),
                file,
                what,
                ConfigParseOptions.defaults().setIncluder(new IncludesReadable()));
    }

    /**
     * Reads a file that must not include another, and must have each key of a section once.
     *
     * @param file the file
     * @param what the kind of file, for failures
     * @param namedBy the source of the name, for failures
     * @return the content, with its references resolved
     * @throws FairleadException {@code CONFIGURATION} if it cannot be read, is not HOCON, includes another, or repeats a key
     */
    public static ConfigObject readAlone(Path file, String what, String namedBy) {
        String text = readable(file, what, namedBy);
        ConfigObject root =
                parse(text, file, what, ConfigParseOptions.defaults().setIncluder(new IncludesNothing()));
        HoconKeys.Repeated repeated = HoconKeys.repeatedIn(text);
        if (repeated != null) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    what + ": a key is repeated, and the parser would merge both or forget the first: key="
                            + ShownText.of(repeated.key()) + ", first in line " + repeated.firstLine()
                            + "; write it once, with commas between sections of a list (" + file + ":" + repeated.line()
                            + ")");
        }
        return root;
    }

    private static ConfigObject parse(String text, Path file, String what, ConfigParseOptions options) {
        checkNesting(text, file, what);
        try {
            // The parser resolves includes against the folder of the file's path, and a relative path may have none.
            return ConfigFactory.parseFile(
                            file.toAbsolutePath().toFile(),
                            options.setSyntax(ConfigSyntax.CONF).setAllowMissing(false))
                    .resolve()
                    .root();
        } catch (ConfigException malformed) {
            throw new FairleadException(Reason.CONFIGURATION, describe(malformed, file, what), malformed);
        } catch (IllegalArgumentException escape) {
            // The parser takes the sign of an escape such as \\u-041 for a digit.
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    what + " has an escape that is no character: " + ShownText.of(String.valueOf(escape.getMessage()))
                            + "; write four hexadecimal digits behind \\u (" + file + ")",
                    escape);
        } catch (StackOverflowError tooDeep) {
            // Included files and values that refer to each other cause recursion of the parser, as nesting does. They
            // are detected only on resolution. The parser's result is dropped.
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    what + " includes or refers to too much: file=" + file + "; at most " + HoconNesting.LEVELS_MAX
                            + " levels are safe",
                    tooDeep);
        }
    }

    /** The parser recurses once per level. */
    private static void checkNesting(String text, Path file, String what) {
        int line = HoconNesting.tooDeepAt(text);
        if (line > 0) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    what + " nests too deeply: at most " + HoconNesting.LEVELS_MAX + " levels (" + file + ":" + line
                            + ")");
        }
    }

    private static String readable(Path file, String what, String namedBy) {
        if (Files.notExists(file)) {
            throw new FairleadException(
                    Reason.CONFIGURATION, what + " does not exist: file=" + file + " (" + namedBy + ")");
        }
        if (!Files.isRegularFile(file)) {
            throw new FairleadException(
                    Reason.CONFIGURATION, what + " is not a regular file: file=" + file + " (" + namedBy + ")");
        }
        try {
            // The parser would replace bytes that are not UTF-8 instead of failing.
            return Files.readString(file);
        } catch (CharacterCodingException notUtf8) {
            throw new FairleadException(
                    Reason.CONFIGURATION, what + " is not UTF-8: file=" + file + " (" + namedBy + ")", notUtf8);
        } catch (IOException unreadable) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    what + " cannot be read: file=" + file + ", cause="
                            + unreadable.getClass().getSimpleName() + " (" + namedBy + ")",
                    unreadable);
        }
    }

    /** One line, with the position at its end instead of its beginning. */
    private static String describe(ConfigException malformed, Path file, String what) {
        ConfigOrigin origin = malformed.origin();
        String message = String.valueOf(malformed.getMessage());
        String location = file.toString();
        if (origin != null) {
            location = location(origin, file);
            String prefix = origin.description() + ": ";
            message = message.startsWith(prefix) ? message.substring(prefix.length()) : message;
        }
        return what + " is not valid HOCON: "
                + message.replaceAll("[\\s\\p{Cc}]+", " ").strip() + " (" + location + ")";
    }

    /** The file, and the line if it is known. */
    public static String location(ConfigOrigin origin, Path file) {
        String name = fileName(origin, file);
        return origin.lineNumber() > 0 ? name + ":" + origin.lineNumber() : name;
    }

    /** An included file has its own name; the including file has the name by which it was requested. */
    static String fileName(ConfigOrigin origin, Path file) {
        String name = origin.filename();
        return name == null || name.equals(file.toAbsolutePath().toString()) ? file.toString() : name;
    }
}
