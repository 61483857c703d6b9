package io.fairlead.cli.roce;

import io.fairlead.testkit.roce.RoceSuite;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The names of the suites on the command line. */
final class SuiteName implements ITypeConverter<String>, Iterable<String> {
    /** A name that there is, or any where the testkit is missing: then the command says so when it runs. */
    @Override
    public String convert(String name) {
        if (Testkit.present()) {
            try {
                return RoceSuite.named(name).toString();
            } catch (IllegalArgumentException unknown) {
                throw new TypeConversionException(String.valueOf(unknown.getMessage()));
            }
        }
        return name;
    }

    @Override
    public Iterator<String> iterator() {
        List<String> names = Testkit.present()
                ? Arrays.stream(RoceSuite.values()).map(RoceSuite::toString).toList()
                : List.of();
        return names.iterator();
    }
}
