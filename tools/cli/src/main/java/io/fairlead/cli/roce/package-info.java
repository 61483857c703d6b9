/**
 * {@code fairlead roce-test}, in front of the testkit. The command is shipped without the testkit; who starts {@code roce-test} adds it, as the
 * launcher does. So the classes that picocli looks at name none of its types, and the others are loaded when they are needed.
 */
@NullMarked
package io.fairlead.cli.roce;

import org.jspecify.annotations.NullMarked;
