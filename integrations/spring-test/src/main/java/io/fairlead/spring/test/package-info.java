/** Tests of the typed services of Spring Boot applications. */
@NullMarked
package io.fairlead.spring.test;

import org.jspecify.annotations.NullMarked;
